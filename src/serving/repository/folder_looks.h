#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serving/repository/state.h"
#include "serving/repository/stepper.h"
#include "serving/repository/wanted_models.h"

namespace inferd::repository {

// Looks at the model folders and applies their changes. In explicit mode, a look only lists model names; a folder is
// read when the options or a load call ask for the model. So thousands of models that nothing loads cost next to
// nothing. Thread-safe. The constructor's arguments must outlive the object.
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

  // Makes the checks of ManagerOptions::checks_startup.
  base::Status CheckStartup(const Source& source) const;

  // Takes one look and applies it as one step. `initial` is true for the first look, which takes all files to be
  // complete.
  void Look(bool initial);

 private:
  bool IsNeeded(const std::string& model) const;
  bool ByName() const { return options_.control == config::ControlMode::kExplicit; }
  ModelLook LookAt(const std::string& model, const std::string& repository) REQUIRES(source_.mutex);
  std::vector<ModelLook> LookAtNames(const Listing& listing, bool initial) REQUIRES(source_.mutex);
  void LogProblems(const std::vector<base::Status>& problems) REQUIRES(source_.mutex);
  void ExpectStartupModels() REQUIRES(state_.mutex);
  // Returns true if a wrong configuration was found at the start, so that no model is to be loaded. At the first look,
  // reads the models' files.
  bool StartHasEnded(const std::vector<ModelLook>& looks, bool initial) const REQUIRES(source_.mutex);
  // Applies one look as one step, under the state's lock.
  void Apply(const std::optional<Listing>& listing, const std::vector<ModelLook>& looks, bool initial,
             Deferred& deferred) REQUIRES(source_.mutex);
  void ApplyListing(const Listing& listing, bool initial, Deferred& deferred) REQUIRES(state_.mutex);
  // Returns the problem of a look at a model as the index shows it.
  std::string ShownProblem(const base::Status& problem) const;
  // Returns true if the model came after the start and the options ignore such models until a call loads them.
  bool IsKeptOut(const ModelLook& look, bool initial) const REQUIRES(state_.mutex);
  // True if the model stays loaded although its folder has gone.
  bool Keeps(const ModelLook& look) const;
  // Retries versions whose failure is old enough, for models about which the look had nothing to report.
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
