#include "repository/records/load_plan.h"

namespace inferd::repository {

namespace {

bool DueToLoad(const VersionView& view) {
  return view.wanted && !view.loading && !view.asleep && !view.current && !view.failed_same;
}

LoadPlan PlanForAvailability(std::span<const VersionView> versions, bool changing) {
  LoadPlan plan;
  bool any_wanted = false;
  bool wanted_ready = false;
  bool work_left = false;
  for (const VersionView& view : versions) {
    if (!view.wanted) continue;
    any_wanted = true;
    wanted_ready |= view.ready;
    work_left |= view.loading;
    if (DueToLoad(view)) {
      plan.load.push_back(view.version);
      work_left = true;
    }
  }
  if (changing) return plan;
  if (any_wanted && (work_left || !wanted_ready)) return plan;
  for (const VersionView& view : versions) {
    if (view.ready && !view.wanted) plan.unload.push_back(view.version);
  }
  return plan;
}

LoadPlan PlanForResource(std::span<const VersionView> versions, bool changing) {
  LoadPlan plan;
  bool replaced_there = false;
  for (const VersionView& view : versions) {
    if (view.wanted) continue;
    replaced_there |= view.ready || view.loading || view.leaving;
    if (view.ready && !changing) plan.unload.push_back(view.version);
  }
  for (const VersionView& view : versions) {
    if (!DueToLoad(view)) continue;
    if (view.ready) plan.unload.push_back(view.version);
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
