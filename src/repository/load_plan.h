#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace inferd::repository {

// A version as the planner sees it.
struct VersionView {
  int64_t version = 0;
  bool wanted = false;
  bool loading = false;
  bool asleep = false;  // nothing is done about it before a request needs it
  bool ready = false;
  bool current = false;      // ready, and what is wanted now is what was loaded
  bool failed_same = false;  // what is wanted now has failed to load before
};

struct LoadPlan {
  std::vector<int64_t> load;
  std::vector<int64_t> unload;
};

// The next steps for one model, as a pure function. A wanted version that is not asleep is loaded beside what serves,
// replaced versions included; one that failed is not tried again until it changes. A version that is not wanted any
// more goes when the wanted ones need nothing more and one of them is ready, so that a new version that does not load
// leaves the old one serving; or at once when none is wanted. `changing`: the model's folder is being written; nothing
// goes.
LoadPlan PlanModel(std::span<const VersionView> versions, bool changing);

}  // namespace inferd::repository
