#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/version_transition.h"

namespace inferd::repository {

// The state of the models on which a model depends.
enum class NeedState { kMet, kComing, kMissing };

// A version as the planner sees it.
struct VersionView {
  int64_t version = 0;
  bool wanted = false;
  bool loading = false;
  bool asleep = false;  // not loaded before a request needs it
  bool ready = false;
  bool current = false;               // ready, and loaded from the wanted content
  bool failed_same = false;           // the wanted content has failed to load before
  bool leaving = false;               // one of its loads takes no more requests and is not gone yet
  NeedState needs = NeedState::kMet;  // of the wanted content
  bool forsaken = false;              // ready, but a model that it calls is not
};

struct LoadPlan {
  std::vector<int64_t> load;
  std::vector<int64_t> unload;
  std::vector<int64_t> wait;    // load when the versions that they replace are gone; plan again then
  std::vector<int64_t> depend;  // load when their dependencies are ready; plan again then
  std::vector<int64_t> refuse;  // do not load: a dependency is missing
};

// Computes the next steps for one model; a pure function. Loads every wanted version that is not asleep, except one
// that failed: that is not tried again until its content changes. `changing` is true while the model's folder is being
// written; unwanted versions stay then.
//
// kAvailability: loads the wanted version beside the ready ones, those that it replaces included. An unwanted version
// is unloaded when no wanted version is left to load and one of them is ready. So a new version that fails to load
// leaves the old one serving. If no version is wanted, all are unloaded at once.
//
// kResource: unloads unwanted versions at once, and also the version that a wanted one replaces. Loads the wanted
// version when they are gone. If that load fails, no version serves (TensorFlow Serving's ResourcePreservingPolicy).
//
// In both modes, a version is loaded or replaced only after the models on which it depends are ready, and a ready
// version that loses them is unloaded at once.
LoadPlan PlanModel(std::span<const VersionView> versions, bool changing,
                   config::VersionTransition transition = config::VersionTransition::kAvailability);

}  // namespace inferd::repository
