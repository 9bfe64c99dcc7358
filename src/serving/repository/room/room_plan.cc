#include "serving/repository/room/room_plan.h"

#include <algorithm>
#include <string>
#include <utility>

namespace inferd::repository {

namespace {

using State = Resident::State;

// The share of a budget that one resident uses, or several in sum.
struct Load {
  HeldMemory held = {};
  int64_t versions = 0;

  void Add(const Resident& resident) {
    held.Add(resident.held);
    ++versions;
  }
  void Remove(const Resident& resident) {
    held.Remove(resident.held);
    --versions;
  }
};

int64_t OnGpu(const HeldMemory& memory, int32_t gpu) {
  const auto found = memory.gpus.find(gpu);
  return found == memory.gpus.end() ? 0 : found->second;
}

bool BytesFit(const ModelBudget& budget, const Load& load, const HeldMemory& needed) {
  return budget.bytes_max == 0 || load.held.bytes <= budget.bytes_max - needed.bytes;
}
bool VersionsFit(const ModelBudget& budget, const Load& load) {
  return budget.versions_max == 0 || load.versions < budget.versions_max;
}
bool GpuFits(const ModelBudget& budget, const Load& load, int32_t gpu, int64_t needed) {
  return budget.gpu_bytes_max == 0 || OnGpu(load.held, gpu) <= budget.gpu_bytes_max - needed;
}

bool Fits(const ModelBudget& budget, const Load& load, const HeldMemory& needed) {
  return BytesFit(budget, load, needed) && VersionsFit(budget, load) &&
         std::ranges::all_of(needed.gpus,
                             [&](const auto& each) { return GpuFits(budget, load, each.first, each.second); });
}

// Returns true if evicting the resident frees memory of a kind that is short.
bool Helps(const Resident& resident, const ModelBudget& budget, const Load& load, const HeldMemory& needed) {
  if (!BytesFit(budget, load, needed) || !VersionsFit(budget, load)) return true;
  return std::ranges::any_of(needed.gpus, [&](const auto& each) {
    return !GpuFits(budget, load, each.first, each.second) && OnGpu(resident.held, each.first) > 0;
  });
}

std::string Figure(int64_t value) { return std::to_string(value); }

// OK if it fits.
base::Status GpuRefusal(const ModelBudget& budget, const Load& kept, const HeldMemory& needed) {
  for (const auto& [gpu, bytes] : needed.gpus) {
    if (GpuFits(budget, kept, gpu, bytes)) continue;
    const std::string what = "it needs " + Figure(bytes) + " bytes of GPU " + Figure(gpu) + ", and ";
    const std::string budgeted = Figure(budget.gpu_bytes_max) + " bytes";
    if (bytes > budget.gpu_bytes_max) {
      return base::ResourceExhausted(what + "the memory for models there is " + budgeted);
    }
    return base::ResourceExhausted(what + "of the " + budgeted + " for models there " + Figure(OnGpu(kept.held, gpu)) +
                                   " are held by models that stay loaded");
  }
  return base::OkStatus();
}

base::Status Refusal(const ModelBudget& budget, const Load& kept, const HeldMemory& needed) {
  if (budget.bytes_max > 0 && needed.bytes > budget.bytes_max) {
    return base::ResourceExhausted("it needs " + Figure(needed.bytes) + " bytes, and the memory for models is " +
                                   Figure(budget.bytes_max) + " bytes");
  }
  if (!VersionsFit(budget, kept)) {
    return base::ResourceExhausted(Figure(budget.versions_max) + " model versions may be loaded at a time, and " +
                                   Figure(kept.versions) + " that stay loaded are");
  }
  if (BytesFit(budget, kept, needed)) return GpuRefusal(budget, kept, needed);
  return base::ResourceExhausted("it needs " + Figure(needed.bytes) + " bytes, and of the " + Figure(budget.bytes_max) +
                                 " bytes for models " + Figure(kept.held.bytes) +
                                 " are held by models that stay loaded");
}

// Returns the residents that may be unloaded, in the order of eviction.
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

bool HasRoom(const ModelBudget& budget, const HeldMemory& held, int64_t held_versions, const HeldMemory& needed) {
  return Fits(budget, {.held = held, .versions = held_versions}, needed);
}

RoomPlan PlanRoom(const ModelBudget& budget, std::span<const Resident> residents, const HeldMemory& needed) {
  RoomPlan plan;
  Load now;
  Load staying;  // after the leaving residents have gone
  Load kept;
  for (const Resident& resident : residents) {
    now.Add(resident);
    if (resident.state != State::kLeaving) staying.Add(resident);
    if (resident.state == State::kKept) kept.Add(resident);
  }
  plan.fits = Fits(budget, now, needed);
  plan.refusal = Refusal(budget, kept, needed);
  if (plan.fits || !plan.refusal.ok()) return plan;
  for (const size_t candidate : Candidates(residents)) {
    if (Fits(budget, staying, needed)) break;
    if (!Helps(residents[candidate], budget, staying, needed)) continue;
    staying.Remove(residents[candidate]);
    plan.evict.push_back(candidate);
  }
  // A loading resident is in the way. It may be evicted itself once it is loaded.
  if (!Fits(budget, staying, needed)) plan.evict.clear();
  return plan;
}

}  // namespace inferd::repository
