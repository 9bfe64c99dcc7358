#include "repository/room/room_keeper.h"

#include <utility>

namespace inferd::repository {

namespace {

Resident::State StateOf(const ModelRecord& record, const VersionHarness& version) {
  if (!record.on_demand) return Resident::State::kKept;
  // The catalog's snapshots do not count: what is above one are requests.
  return version.serving().use_count() > 1 ? Resident::State::kBusy : Resident::State::kIdle;
}

bool WaitsForRoom(const ModelRecord* record, int64_t version) {
  if (record == nullptr) return false;
  const auto entry = record->versions.find(version);
  return entry != record->versions.end() && entry->second.phase() == VersionHarness::Phase::kWaitingForRoom;
}

// The i-th resident is the i-th place's.
struct Residents {
  std::vector<Resident> residents;
  std::vector<core::ModelId> places;

  void Add(const core::ModelId& place, Resident resident) {
    residents.push_back(resident);
    places.push_back(place);
  }
};

Residents ResidentsOf(const ModelRecords& records) {
  Residents all;
  for (const std::string& name : records.resident()) {
    const ModelRecord& record = *records.Find(name);
    for (const auto& [number, version] : record.versions) {
      const core::ModelId place{name, number};
      if (version.serving() != nullptr) {
        all.Add(place, {StateOf(record, version), version.bytes(), version.serving()->used_ns()});
      }
      if (version.phase() == VersionHarness::Phase::kLoading) {
        const auto state = record.on_demand ? Resident::State::kLoading : Resident::State::kKept;
        all.Add(place, {state, version.bytes(), 0});
      }
      for (int leaving = version.Leaving(); leaving > 0; --leaving) {
        all.Add(place, {Resident::State::kLeaving, version.bytes(), 0});
      }
    }
  }
  return all;
}

}  // namespace

std::optional<RoomStep> RoomKeeper::Next(ModelRecords& records) {
  while (!queue_.empty()) {
    const core::ModelId id = queue_.front();
    records.Settle();
    const ModelRecord* const record = records.Find(id.name);
    if (!WaitsForRoom(record, id.version)) {
      queue_.pop_front();
      continue;
    }
    RoomStep step = StepFor(id, record->wanted.at(id.version).bytes, records);
    if (step.fits || !step.refusal.ok()) queue_.pop_front();
    return step;
  }
  return std::nullopt;
}

RoomStep RoomKeeper::StepFor(const core::ModelId& id, int64_t bytes, const ModelRecords& records) const {
  RoomStep step{.id = id, .refusal = {}, .fits = true, .evict = {}};
  const RecordTotals& totals = records.totals();
  if (HasRoom(budget_, totals.resident_bytes, totals.resident_versions, bytes)) return step;
  Residents all = ResidentsOf(records);
  RoomPlan plan = PlanRoom(budget_, all.residents, bytes);
  step.fits = plan.fits;
  step.refusal = std::move(plan.refusal);
  if (step.fits || !step.refusal.ok()) return step;
  for (const size_t victim : plan.evict) step.evict.push_back(std::move(all.places[victim]));
  return step;
}

}  // namespace inferd::repository
