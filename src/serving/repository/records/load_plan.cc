#include "serving/repository/records/load_plan.h"

namespace inferd::repository {

namespace {

bool DueToLoad(const VersionView& view) {
  return view.wanted && !view.loading && !view.asleep && (!view.current || view.forsaken) && !view.failed_same;
}

bool Serves(const VersionView& view) { return view.ready && !view.forsaken; }

// Returns false if its dependencies are ready.
bool WaitsForOthers(const VersionView& view, LoadPlan& plan) {
  if (view.needs == NeedState::kComing) plan.depend.push_back(view.version);
  if (view.needs == NeedState::kMissing) plan.refuse.push_back(view.version);
  return view.needs != NeedState::kMet;
}

LoadPlan PlanForAvailability(std::span<const VersionView> versions, bool changing) {
  LoadPlan plan;
  bool any_wanted = false;
  bool wanted_ready = false;
  bool work_left = false;
  for (const VersionView& view : versions) {
    if (view.forsaken) plan.unload.push_back(view.version);
    if (!view.wanted) continue;
    any_wanted = true;
    wanted_ready |= Serves(view);
    work_left |= view.loading;
    if (!DueToLoad(view)) continue;
    work_left |= view.needs != NeedState::kMissing;
    if (!WaitsForOthers(view, plan)) plan.load.push_back(view.version);
  }
  if (changing) return plan;
  if (any_wanted && (work_left || !wanted_ready)) return plan;
  for (const VersionView& view : versions) {
    if (Serves(view) && !view.wanted) plan.unload.push_back(view.version);
  }
  return plan;
}

LoadPlan PlanForResource(std::span<const VersionView> versions, bool changing) {
  LoadPlan plan;
  bool replaced_there = false;
  for (const VersionView& view : versions) {
    if (view.wanted) continue;
    replaced_there |= view.ready || view.loading || view.leaving;
    if (view.ready && (!changing || view.forsaken)) plan.unload.push_back(view.version);
  }
  for (const VersionView& view : versions) {
    if (view.wanted && view.forsaken) plan.unload.push_back(view.version);
    if (!DueToLoad(view) || WaitsForOthers(view, plan)) continue;
    if (Serves(view)) plan.unload.push_back(view.version);
    const bool waits = view.ready || view.leaving || replaced_there;
    (waits ? plan.wait : plan.load).push_back(view.version);
  }
  return plan;
}

}  // namespace

LoadPlan PlanModel(std::span<const VersionView> versions, bool changing, config::VersionTransition transition) {
  return transition == config::VersionTransition::kResource ? PlanForResource(versions, changing)
                                                            : PlanForAvailability(versions, changing);
}

}  // namespace inferd::repository
