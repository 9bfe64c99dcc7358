#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/executor.h"
#include "base/logging.h"
#include "serving/core/model/catalog.h"
#include "serving/repository/load/loader.h"
#include "serving/repository/state.h"
#include "serving/repository/stepper.h"
#include "serving/repository/wanted_models.h"
#include "storage/staging.h"

namespace inferd::repository {

// Applies the clients' load and unload calls. Load calls run on `pool`. Thread-safe. The constructor's arguments must
// outlive the object.
class Calls final {
 public:
  Calls(const ManagerOptions& options, const Loader& loader, State& state, LockedSource& source, const Stepper& stepper,
        const WantedModels& wants, base::Logger& logger, base::Executor& pool)
      : options_(options),
        loader_(loader),
        state_(state),
        source_(source),
        stepper_(stepper),
        wants_(wants),
        logger_(logger),
        pool_(pool) {}

  // Applies one call. Returns an error, or takes `done` and answers it later.
  using Call = std::move_only_function<base::Status(core::ControlCallback& done)>;
  // Runs a call on the pool. Answers UNAVAILABLE before the first look at the folders and after shutdown began.
  void Run(core::ControlCallback done, Call call);

  // Loads the model, and before it the models that it depends on. Answers `done` when no version of it is loading any
  // more.
  void Load(core::LoadCall call, core::ControlCallback done);
  // Unloads the model. Answers `done` when its versions take no more requests. That is before Unload() returns, unless
  // models that depend on it still have requests to finish.
  void Unload(const core::UnloadCall& call, core::ControlCallback done);

 private:
  // Checks that the server takes load and unload calls at all. UNAVAILABLE if it does not.
  base::Status CheckControl() const;
  // The model that a load call found, and the versions that the call wants loaded.
  struct Target {
    std::optional<ModelLook> folder;  // nullopt if no repository has the model
    ModelLook look;                   // `folder`, or the files that the call brought
    std::map<int64_t, WantedVersion> wanted;
  };
  base::Status CheckBrought(const core::LoadCall& call, const Target& target) const;
  base::Status ApplyLoad(const core::LoadCall& call, core::ControlCallback& done);
  base::Result<Target> FindTarget(const core::LoadCall& call, std::shared_ptr<const storage::StagingFolder> staging)
      REQUIRES(source_.mutex);
  // Applies the configuration of the last load call to this call too, unless the model's files have changed since.
  void KeepOverride(Target& target) const;
  // A model on which another one depends, and which is loaded with it.
  struct Along {
    std::string model;
    std::optional<Target> target;  // nullopt if the model stays as it is
  };
  std::vector<Along> FindAlong(const Target& target) REQUIRES(source_.mutex);
  // Returns the model's dependencies if the call must leave the model as it is: the model is wanted already, and the
  // looks at the folders keep it up to date, or a load call with a configuration of its own has set it. Otherwise
  // returns nullopt.
  std::optional<std::vector<config::Dependency>> LeftAsItIs(const std::string& model);
  base::Status Apply(const core::LoadCall& call, Target target, std::vector<Along> along, core::ControlCallback& done,
                     Deferred& deferred);
  void ApplyAlong(Along along, Deferred& deferred) REQUIRES(state_.mutex);
  // Makes the record want what the call found. Every version may be tried again, failed ones included.
  ModelRecord& Take(const std::string& model, const std::string& repository, Target target) REQUIRES(state_.mutex);
  void MakeUnwanted(ModelRecord& record) REQUIRES(state_.mutex);

  const ManagerOptions& options_;
  const Loader& loader_;
  State& state_;
  LockedSource& source_;
  const Stepper& stepper_;
  const WantedModels& wants_;
  base::Logger& logger_;
  base::Executor& pool_;
};

}  // namespace inferd::repository
