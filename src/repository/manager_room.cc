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
std::vector<Resident> Manager::Core::Residents(std::vector<core::ModelId>& places) const {
  std::vector<Resident> residents;
  const auto add = [&](const core::ModelId& place, Resident resident) {
    residents.push_back(resident);
    places.push_back(place);
  };
  for (const std::string& name : records_.resident()) {
    const ModelRecord& record = *records_.Find(name);
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
    records_.Settle();
    ModelRecord* const record = records_.Change(next.name);
    const auto waits = [&next](const ModelRecord& queued) {
      const auto entry = queued.versions.find(next.version);
      return entry != queued.versions.end() && entry->second.waits_for_room;
    };
    if (record == nullptr || !waits(*record)) {
      room_queue_.pop_front();
      continue;
    }
    if (!MakeRoom(*record, next.version, deferred)) return;
    room_queue_.pop_front();
  }
}

// False: not yet. The records' totals are those of now, the record aside.
bool Manager::Core::MakeRoom(ModelRecord& record, int64_t version, Deferred& deferred) {
  VersionRecord& entry = record.versions.at(version);
  const int64_t bytes = record.wanted.at(version).bytes;
  RoomPlan plan{.fits = true, .evict = {}, .refusal = {}};
  std::vector<core::ModelId> places;
  const RecordTotals& totals = records_.totals();
  if (!HasRoom(options_.lazy.budget, totals.resident_bytes, totals.resident_versions, bytes)) {
    plan = PlanRoom(options_.lazy.budget, Residents(places), bytes);
  }
  if (plan.fits) {
    entry.waits_for_room = false;
    entry.bytes = bytes;
    if (entry.reason == kWaitsForRoom || entry.reason == kNotLoaded) entry.reason.clear();
    StartLoad(record, version);
    return true;
  }
  if (!plan.refusal.ok()) {
    lazy_metrics_.refusals->Add();
    services_.logger.Error(
        "'" + record.name + "' version " + std::to_string(version) + " is not loaded: " + plan.refusal.message(),
        {{"model", record.name, /*in_message=*/true}, {"version", version, /*in_message=*/true}});
    entry.waits_for_room = false;
    NoteFailure(entry, record.wanted.at(version).content, plan.refusal);
    Advance(record, deferred);
    return true;
  }
  entry.reason = kWaitsForRoom;
  for (const size_t victim : plan.evict) {
    ModelRecord& holder = *records_.Change(places[victim].name);
    lazy_metrics_.evictions->Add();
    services_.logger.Info(
        "'" + holder.name + "' makes room for '" + record.name + "'",
        {{"model", holder.name, /*in_message=*/true}, {"version", places[victim].version, /*in_message=*/true}});
    EndServing(holder, holder.versions.at(places[victim].version), deferred);
  }
  return false;
}

void Manager::Core::MeasureResidents() const {
  const RecordTotals& totals = records_.totals();
  lazy_metrics_.loaded_bytes->Set(totals.resident_bytes);
  lazy_metrics_.loaded_versions->Set(totals.resident_versions);
  lazy_metrics_.waiting_requests->Set(totals.waiting);
}

}  // namespace inferd::repository
