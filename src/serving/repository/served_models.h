#pragma once

#include <string>
#include <vector>

#include "serving/repository/calls.h"

namespace inferd::repository {

// The models that are served by name: the set as a whole is replaced while the server runs. Thread-safe; what is
// referred to outlives it.
class ServedModels final {
 public:
  ServedModels(const ManagerOptions& options, State& state, LockedSource& source, const Stepper& stepper,
               const WantedModels& wants, Calls& calls)
      : options_(options), state_(state), source_(source), stepper_(stepper), wants_(wants), calls_(calls) {}

  // Answered when every new model serves, or cannot.
  void Replace(std::vector<config::ServedModel> models, core::ControlCallback done);

 private:
  using Models = std::vector<config::ServedModel>;
  // The set before and after, and what a look at each of those after it found.
  struct Change;

  base::Status Apply(const Models& models, core::ControlCallback& done);
  base::Status Check(const Change& change) const REQUIRES(state_.mutex);
  // `before`: the model as it was served; null: it is new.
  base::Status CheckBasePath(const config::ServedModel& model, const config::ServedModel* before,
                             const ModelLook& look) const REQUIRES(state_.mutex);
  base::Status CheckLabels(const config::ServedModel& model, bool is_new, const ModelLook& look) const
      REQUIRES(state_.mutex);
  void Make(const Change& change, core::ControlCallback done, Deferred& deferred) REQUIRES(state_.mutex);
  void ServeNamed(const ModelLook& look, Deferred& deferred) REQUIRES(state_.mutex);
  void EndNamed(const std::string& name, Deferred& deferred) REQUIRES(state_.mutex);

  const ManagerOptions& options_;
  State& state_;
  LockedSource& source_;
  const Stepper& stepper_;
  const WantedModels& wants_;
  Calls& calls_;
};

}  // namespace inferd::repository
