#pragma once

#include <string>
#include <vector>

#include "serving/repository/calls.h"

namespace inferd::repository {

// The models that are served by name. Replace() replaces the whole set while the server runs. Thread-safe. The
// constructor's arguments must outlive the object.
class ServedModels final {
 public:
  ServedModels(const ManagerOptions& options, State& state, LockedSource& source, const Stepper& stepper,
               const WantedModels& wants, Calls& calls)
      : options_(options), state_(state), source_(source), stepper_(stepper), wants_(wants), calls_(calls) {}

  // Replaces the set. Answers `done` when every new model serves or has failed.
  void Replace(std::vector<config::ServedModel> models, core::ControlCallback done);

 private:
  using Models = std::vector<config::ServedModel>;
  // The set before and after, and one look at each model of the new set.
  struct Change;

  base::Status Apply(const Models& models, core::ControlCallback& done);
  base::Status Check(const Change& change) const REQUIRES(state_.mutex);
  // `before`: the entry that served the model so far. Null if the model is new.
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
