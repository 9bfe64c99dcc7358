#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/version_transition.h"

namespace inferd::repository {

// Whether the models that a model depends on are ready.
enum class NeedState { kMet, kComing, kMissing };

// A version as the planner sees it.
struct VersionView {
  int64_t version = 0;
  bool wanted = false;
  bool loading = false;
  bool asleep = false;  // nothing is done about it before a request needs it
  bool ready = false;
  bool current = false;               // ready, and what is wanted now is what was loaded
  bool failed_same = false;           // what is wanted now has failed to load before
  bool leaving = false;               // a load of it takes no more requests, and is not gone yet
  NeedState needs = NeedState::kMet;  // of what is wanted now
  bool forsaken = false;              // ready, and a model that it was loaded to call is not
};

struct LoadPlan {
  std::vector<int64_t> load;
  std::vector<int64_t> unload;
  std::vector<int64_t> wait;    // to be loaded when what they replace is gone: then this is to be planned again
  std::vector<int64_t> depend;  // to be loaded when what they depend on is ready: likewise
  std::vector<int64_t> refuse;  // not to be loaded: something that they depend on does not come
};

// The next steps for one model, as a pure function. A wanted version that is not asleep is loaded, but for one that
// failed, which is not tried again until it changes. `changing`: the model's folder is being written; nothing that is
// not wanted goes.
//
// kAvailability: it is loaded beside what serves, replaced versions included. A version that is not wanted any more
// goes when the wanted ones need nothing more and one of them is ready, so that a new version that does not load leaves
// the old one serving; or at once when none is wanted.
//
// kResource: what is not wanted goes at once, and so does what a wanted version replaces; it is loaded when they are
// gone. One that does not load leaves nothing serving (TensorFlow Serving's ResourcePreservingPolicy).
//
// Either way, nothing is loaded, or replaced, before the models that it depends on are ready, and what serves without
// them goes at once.
LoadPlan PlanModel(std::span<const VersionView> versions, bool changing,
                   config::VersionTransition transition = config::VersionTransition::kAvailability);

}  // namespace inferd::repository
