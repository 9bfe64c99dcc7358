#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/executor.h"
#include "serving/core/model/catalog.h"
#include "serving/repository/load/loader.h"
#include "serving/repository/state.h"
#include "serving/repository/stepper.h"
#include "serving/repository/wanted_models.h"
#include "storage/staging.h"

namespace inferd::repository {

// The load and unload calls of clients. Thread-safe; what is referred to outlives it, and its calls run on `pool`.
class Calls final {
 public:
  Calls(const ManagerOptions& options, const Loader& loader, State& state, LockedSource& source, const Stepper& stepper,
        const WantedModels& wants, base::Executor& pool)
      : options_(options),
        loader_(loader),
        state_(state),
        source_(source),
        stepper_(stepper),
        wants_(wants),
        pool_(pool) {}

  // Answers itself, by what it takes `done` for, unless it fails.
  using Call = std::move_only_function<base::Status(core::ControlCallback& done)>;
  // Runs a call on the pool. Before the first look and after the last, answers UNAVAILABLE.
  void Run(core::ControlCallback done, Call call);

  // Answered when the versions serve, or one does not. What the model depends on is loaded first.
  void Load(core::LoadCall call, core::ControlCallback done);
  // Answered when the versions take no more requests: before it returns, unless requests to models that depend on them
  // are to be waited for.
  void Unload(const core::UnloadCall& call, core::ControlCallback done);

 private:
  // Whether there are load and unload calls at all. UNAVAILABLE.
  base::Status CheckControl() const;
  // What a load call found, and wants.
  struct Target {
    std::optional<ModelLook> folder;  // in a repository; nothing: none has it
    ModelLook look;                   // the folder, or what the call brought
    std::map<int64_t, WantedVersion> wanted;
  };
  base::Status CheckBrought(const core::LoadCall& call, const Target& target) const;
  base::Status ApplyLoad(const core::LoadCall& call, core::ControlCallback& done);
  base::Result<Target> FindTarget(const core::LoadCall& call, std::shared_ptr<const storage::StagingFolder> staging)
      REQUIRES(source_.mutex);
  // The configuration that the last load call brought holds for this one, too.
  void KeepOverride(Target& target) const;
  // A model that another depends on, to be loaded along.
  struct Along {
    std::string model;
    std::optional<Target> target;  // nothing: it stays what it is
  };
  std::vector<Along> FindAlong(const Target& target) REQUIRES(source_.mutex);
  // What the model depends on, if it is wanted already and not to be looked at anew: looks see to it, or a call of its
  // own said what it is to be.
  std::optional<std::vector<config::Dependency>> LeftAsItIs(const std::string& model);
  base::Status Apply(const core::LoadCall& call, Target target, std::vector<Along> along, core::ControlCallback& done,
                     Deferred& deferred);
  void ApplyAlong(Along along, Deferred& deferred) REQUIRES(state_.mutex);
  // Takes over what the call found; every version is tried again.
  ModelRecord& Take(const std::string& model, const std::string& repository, Target target) REQUIRES(state_.mutex);
  void MakeUnwanted(ModelRecord& record) REQUIRES(state_.mutex);

  const ManagerOptions& options_;
  const Loader& loader_;
  State& state_;
  LockedSource& source_;
  const Stepper& stepper_;
  const WantedModels& wants_;
  base::Executor& pool_;
};

}  // namespace inferd::repository
