#include "repository/room/room_plan.h"

#include <algorithm>
#include <string>
#include <utility>

namespace inferd::repository {

namespace {

using State = Resident::State;

// So much of a budget, of residents or of a sum of theirs.
struct Load {
  int64_t bytes = 0;
  int64_t versions = 0;

  void Add(const Resident& resident) {
    bytes += resident.bytes;
    ++versions;
  }
  void Remove(const Resident& resident) {
    bytes -= resident.bytes;
    --versions;
  }
};

bool Fits(const ModelBudget& budget, const Load& load, int64_t bytes) {
  const bool bytes_fit = budget.bytes_max == 0 || load.bytes <= budget.bytes_max - bytes;
  return bytes_fit && (budget.versions_max == 0 || load.versions < budget.versions_max);
}

base::Status Refusal(const ModelBudget& budget, const Load& kept, int64_t bytes) {
  if (Fits(budget, kept, bytes)) return base::OkStatus();
  const auto figure = [](int64_t value) { return std::to_string(value); };
  if (budget.bytes_max > 0 && bytes > budget.bytes_max) {
    return base::ResourceExhausted("it needs " + figure(bytes) + " bytes, and the memory for models is " +
                                   figure(budget.bytes_max) + " bytes");
  }
  if (budget.versions_max > 0 && kept.versions >= budget.versions_max) {
    return base::ResourceExhausted(figure(budget.versions_max) + " model versions may be loaded at a time, and " +
                                   figure(kept.versions) + " that stay loaded are");
  }
  return base::ResourceExhausted("it needs " + figure(bytes) + " bytes, and of the " + figure(budget.bytes_max) +
                                 " bytes for models " + figure(kept.bytes) + " are held by models that stay loaded");
}

// Those that may be unloaded, in the order in which they go.
std::vector<size_t> Candidates(std::span<const Resident> residents) {
  std::vector<size_t> candidates;
  for (size_t i = 0; i < residents.size(); ++i) {
    if (residents[i].state == State::kIdle || residents[i].state == State::kBusy) candidates.push_back(i);
  }
  std::ranges::stable_sort(candidates, [&](size_t a, size_t b) {
    const bool a_idle = residents[a].state == State::kIdle;
    if (a_idle != (residents[b].state == State::kIdle)) return a_idle;
    return std::pair(residents[a].used_ns, residents[a].layer) < std::pair(residents[b].used_ns, residents[b].layer);
  });
  return candidates;
}

}  // namespace

bool HasRoom(const ModelBudget& budget, int64_t held_bytes, int64_t held_versions, int64_t bytes) {
  return Fits(budget, {.bytes = held_bytes, .versions = held_versions}, bytes);
}

RoomPlan PlanRoom(const ModelBudget& budget, std::span<const Resident> residents, int64_t bytes) {
  RoomPlan plan;
  Load now;
  Load staying;  // once those that leave have gone
  Load kept;
  for (const Resident& resident : residents) {
    now.Add(resident);
    if (resident.state != State::kLeaving) staying.Add(resident);
    if (resident.state == State::kKept) kept.Add(resident);
  }
  plan.fits = Fits(budget, now, bytes);
  plan.refusal = Refusal(budget, kept, bytes);
  if (plan.fits || !plan.refusal.ok()) return plan;
  for (const size_t candidate : Candidates(residents)) {
    if (Fits(budget, staying, bytes)) break;
    staying.Remove(residents[candidate]);
    plan.evict.push_back(candidate);
  }
  // What is loading is in the way: it may go itself when it is there.
  if (!Fits(budget, staying, bytes)) plan.evict.clear();
  return plan;
}

}  // namespace inferd::repository
