#include "repository/load_plan.h"

namespace inferd::repository {

LoadPlan PlanModel(std::span<const VersionView> versions, bool changing) {
  LoadPlan plan;
  bool any_wanted = false;
  bool wanted_ready = false;
  bool work_left = false;
  for (const VersionView& view : versions) {
    if (!view.wanted) continue;
    any_wanted = true;
    wanted_ready |= view.ready;
    work_left |= view.loading;
    if (!view.loading && !view.asleep && !view.current && !view.failed_same) {
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

}  // namespace inferd::repository
