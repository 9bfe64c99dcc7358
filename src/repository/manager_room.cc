#include <algorithm>

#include "repository/manager_core.h"

// Loads wait for room here, in the order in which they came, and what is in their way is unloaded.

namespace inferd::repository {

namespace {

constexpr std::string_view kWaitsForRoom = "waits for memory that other models hold";

Resident::State StateOf(const ModelRecord& record, const VersionRecord& version) {
  if (!record.on_demand) return Resident::State::kKept;
  // The catalog's snapshots do not count: what is above one are requests.
  return version.serving.use_count() > 1 ? Resident::State::kBusy : Resident::State::kIdle;
}

}  // namespace

void Manager::Core::QueueLoad(ModelRecord& record, int64_t version) {
  record.versions.at(version).waits_for_room = true;
  room_queue_.push_back({record.name, version});
}

// The i-th resident is the i-th place's.
std::vector<Resident> Manager::Core::Residents(std::vector<core::ModelId>* places) const {
  std::vector<Resident> residents;
  const auto add = [&](const core::ModelId& place, Resident resident) {
    residents.push_back(resident);
    if (places != nullptr) places->push_back(place);
  };
  for (const auto& [name, record] : models_) {
    for (const auto& [number, version] : record.versions) {
      const core::ModelId place{name, number};
      if (version.serving != nullptr) {
        add(place, {StateOf(record, version), version.bytes, version.serving->used_ns()});
      }
      if (version.loading) {
        const auto state = record.on_demand ? Resident::State::kLoading : Resident::State::kKept;
        add(place, {state, version.bytes, 0});
      }
      for (int leaving = version.Leaving(); leaving > 0; --leaving)
        add(place, {Resident::State::kLeaving, version.bytes, 0});
    }
  }
  return residents;
}

void Manager::Core::AdmitLoads(Deferred& deferred) {
  while (!room_queue_.empty() && !stopping_) {
    const core::ModelId next = room_queue_.front();
    const auto it = models_.find(next.name);
    const auto waits = [&next](const ModelRecord& record) {
      const auto entry = record.versions.find(next.version);
      return entry != record.versions.end() && entry->second.waits_for_room;
    };
    if (it == models_.end() || !waits(it->second)) {
      room_queue_.pop_front();
      continue;
    }
    if (!MakeRoom(it->second, next.version, deferred)) return;
    room_queue_.pop_front();
  }
}

// False: not yet.
bool Manager::Core::MakeRoom(ModelRecord& record, int64_t version, Deferred& deferred) {
  VersionRecord& entry = record.versions.at(version);
  const int64_t bytes = record.wanted.at(version).bytes;
  RoomPlan plan{.fits = true, .evict = {}, .refusal = {}};
  std::vector<core::ModelId> places;
  if (options_.lazy.budget.limited()) plan = PlanRoom(options_.lazy.budget, Residents(&places), bytes);
  if (plan.fits) {
    entry.waits_for_room = false;
    entry.bytes = bytes;
    if (entry.reason == kWaitsForRoom || entry.reason == kNotLoaded) entry.reason.clear();
    StartLoad(record, version);
    return true;
  }
  if (!plan.refusal.ok()) {
    lazy_metrics_.refusals->Add();
    services_.logger.Error("'" + record.name + "' version " + std::to_string(version) +
                           " is not loaded: " + plan.refusal.message());
    entry.waits_for_room = false;
    NoteFailure(entry, record.wanted.at(version).content, plan.refusal);
    Advance(record, deferred);
    return true;
  }
  entry.reason = kWaitsForRoom;
  for (const size_t victim : plan.evict) {
    ModelRecord& holder = models_.at(places[victim].name);
    lazy_metrics_.evictions->Add();
    services_.logger.Info("'" + holder.name + "' makes room for '" + record.name + "'");
    EndServing(holder, holder.versions.at(places[victim].version), deferred);
  }
  return false;
}

void Manager::Core::MeasureResidents() const {
  int64_t bytes = 0;
  const std::vector<Resident> residents = Residents(nullptr);
  for (const Resident& resident : residents) bytes += resident.bytes;
  lazy_metrics_.loaded_bytes->Set(bytes);
  lazy_metrics_.loaded_versions->Set(static_cast<int64_t>(residents.size()));
  size_t waiting = 0;
  for (const auto& [name, record] : models_) waiting += record.Waiters();
  lazy_metrics_.waiting_requests->Set(static_cast<int64_t>(waiting));
}

}  // namespace inferd::repository
