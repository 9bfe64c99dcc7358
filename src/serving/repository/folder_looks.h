#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serving/repository/state.h"
#include "serving/repository/stepper.h"
#include "serving/repository/wanted_models.h"

namespace inferd::repository {

// The manager's looks at the folders, and what they change. With explicit control a look lists names: what is loaded is
// what the options and the load calls say, and the folders are looked into then. Until then a model is a name, so that
// thousands of models that nothing loads cost next to nothing. Thread-safe; what is referred to outlives it.
class FolderLooks final {
 public:
  FolderLooks(const ManagerOptions& options, const ManagerServices& services, State& state, LockedSource& source,
              const Stepper& stepper, const WantedModels& wants)
      : options_(options),
        clock_(services.clock),
        logger_(services.logger),
        state_(state),
        source_(source),
        stepper_(stepper),
        wants_(wants) {}

  // What checks_startup asks for.
  base::Status CheckStartup(const Source& source) const;

  // One step. `initial`: the first, for which what is there is whole.
  void Look(bool initial);

 private:
  bool IsNeeded(const std::string& model) const;
  bool ByName() const { return options_.control == config::ControlMode::kExplicit; }
  ModelLook LookAt(const std::string& model, const std::string& repository) REQUIRES(source_.mutex);
  std::vector<ModelLook> LookAtNames(const Listing& listing, bool initial) REQUIRES(source_.mutex);
  void LogProblems(const std::vector<base::Status>& problems) REQUIRES(source_.mutex);
  void ExpectStartupModels() REQUIRES(state_.mutex);
  // True if a configuration was wrong at the start, and nothing is to be loaded therefore. Reads files at the first
  // look.
  bool StartHasEnded(const std::vector<ModelLook>& looks, bool initial) const REQUIRES(source_.mutex);
  // Under the state's lock, and as one step.
  void Apply(const std::optional<Listing>& listing, const std::vector<ModelLook>& looks, bool initial,
             Deferred& deferred) REQUIRES(source_.mutex);
  void ApplyListing(const Listing& listing, bool initial, Deferred& deferred) REQUIRES(state_.mutex);
  // True if the model came after the start, and such models are not to be known unless a call loads them.
  bool IsKeptOut(const ModelLook& look, bool initial) const REQUIRES(state_.mutex);
  // True if the model stays loaded although its folder has gone.
  bool Keeps(const ModelLook& look) const;
  // Tries versions again that failed long enough ago, of models that the look had nothing to tell of.
  void RetryFailed(Deferred& deferred) REQUIRES(source_.mutex, state_.mutex);
  void ApplyLook(const ModelLook& look, bool initial, Deferred& deferred) REQUIRES(state_.mutex);

  const ManagerOptions& options_;
  const base::Clock& clock_;
  base::Logger& logger_;
  State& state_;
  LockedSource& source_;
  const Stepper& stepper_;
  const WantedModels& wants_;
  ProblemLog repository_problems_ GUARDED_BY(source_.mutex);
};

}  // namespace inferd::repository
