#include "serving/repository/room/room_keeper.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace inferd::repository {

namespace {

Resident::State StateOf(const ModelRecord& record, const VersionHarness& version) {
  if (!record.on_demand) return Resident::State::kKept;
  // The catalog's snapshots do not count: every further reference is a request.
  return version.serving().use_count() > 1 ? Resident::State::kBusy : Resident::State::kIdle;
}

bool WaitsForRoom(const ModelRecord* record, int64_t version) {
  if (record == nullptr) return false;
  const auto entry = record->versions.find(version);
  return entry != record->versions.end() && entry->second.phase() == VersionHarness::Phase::kWaitingForRoom;
}

// residents[i] belongs to places[i].
struct Residents {
  std::vector<Resident> residents;
  std::vector<core::ModelId> places;

  void Add(const core::ModelId& place, Resident resident) {
    residents.push_back(resident);
    places.push_back(place);
  }
};

// Applies the state of a model's dependents to the model: it is used whenever they are, and is unloaded after them.
class DependentsView final {
 public:
  explicit DependentsView(const ModelRecords& records) : records_(records) {}

  Resident Raise(const std::string& model, Resident resident) {
    if (records_.dependencies().DependentsOf(model).empty()) return resident;
    const Resident& others = DependentsOf(model);
    resident.state = Stronger(resident.state, others.state);
    resident.used_ns = std::max(resident.used_ns, others.used_ns);
    resident.layer = std::max(resident.layer, others.layer);
    return resident;
  }

 private:
  static Resident::State Stronger(Resident::State a, Resident::State b) {
    for (const auto state : {Resident::State::kKept, Resident::State::kLoading, Resident::State::kBusy}) {
      if (a == state || b == state) return state;
    }
    return Resident::State::kIdle;
  }
  // Combines all loads of models that need this one, directly or not, into one resident.
  const Resident& DependentsOf(const std::string& model) {
    const auto [entry, is_new] = seen_.try_emplace(model, Resident{.state = Resident::State::kIdle});
    if (!is_new) return entry->second;  // models of a circle are never loaded
    Resident all = entry->second;
    for (const std::string& name : records_.dependencies().DependentsOf(model)) {
      const ModelRecord* const record = records_.Find(name);
      if (record != nullptr && name != model) Add(name, *record, all);
    }
    return seen_.insert_or_assign(model, all).first->second;
  }
  void Add(const std::string& name, const ModelRecord& record, Resident& all) {
    for (const auto& [number, version] : record.versions) {
      if (version.alive() == 0) continue;
      Resident load{.state = version.serving() == nullptr ? Resident::State::kLoading : StateOf(record, version)};
      if (LeavingLoads(version) > 0) load.state = Stronger(load.state, Resident::State::kLoading);
      if (version.serving() != nullptr) load.used_ns = version.serving()->used_ns();
      load = Raise(name, load);
      all.state = Stronger(all.state, load.state);
      all.used_ns = std::max(all.used_ns, load.used_ns);
      all.layer = std::max(all.layer, load.layer + 1);
    }
  }

  const ModelRecords& records_;
  std::map<std::string, Resident, std::less<>> seen_;
};

// Returns the models that must stay for `model`: the models that it needs, and those needed by models that wait for it.
Dependencies::Names KeptFor(const std::string& model, const ModelRecords& records) {
  Dependencies::Names coming = {model};
  std::vector<std::string> left = {model};
  while (!left.empty()) {
    const std::string at = std::move(left.back());
    left.pop_back();
    for (const std::string& name : records.dependencies().DependentsOf(at)) {
      const ModelRecord* const record = records.Find(name);
      const bool waits = record != nullptr && std::ranges::any_of(record->versions, [](const auto& entry) {
                           return entry.second.phase() == VersionHarness::Phase::kWaitingForDependencies;
                         });
      if (waits && coming.insert(name).second) left.push_back(name);
    }
  }
  Dependencies::Names kept = records.dependencies().AllNeededBy(coming);
  kept.erase(model);
  return kept;
}

Residents ResidentsOf(const ModelRecords& records, const Dependencies::Names& kept) {
  Residents all;
  DependentsView dependents(records);
  for (const std::string& name : records.resident()) {
    const ModelRecord& record = *records.Find(name);
    for (const auto& [number, version] : record.versions) {
      const core::ModelId place{name, number};
      if (version.serving() != nullptr) {
        const auto state = kept.contains(name) ? Resident::State::kKept : StateOf(record, version);
        all.Add(place, dependents.Raise(name, {state, version.held(), version.serving()->used_ns()}));
      }
      if (version.phase() == VersionHarness::Phase::kLoading) {
        const auto state = record.on_demand ? Resident::State::kLoading : Resident::State::kKept;
        all.Add(place, {state, version.held(), 0});
      }
      for (int leaving = LeavingLoads(version); leaving > 0; --leaving) {
        all.Add(place, {Resident::State::kLeaving, version.held(), 0});
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
    RoomStep step = StepFor(id, record->wanted.at(id.version).held, records);
    if (step.fits || !step.refusal.ok()) queue_.pop_front();
    return step;
  }
  return std::nullopt;
}

RoomStep RoomKeeper::StepFor(const core::ModelId& id, const HeldMemory& needed, const ModelRecords& records) const {
  RoomStep step{.id = id, .refusal = {}, .fits = true, .evict = {}};
  const RecordTotals& totals = records.totals();
  if (HasRoom(budget_, totals.resident, totals.resident_versions, needed)) return step;
  Residents all = ResidentsOf(records, KeptFor(id.name, records));
  RoomPlan plan = PlanRoom(budget_, all.residents, needed);
  step.fits = plan.fits;
  step.refusal = std::move(plan.refusal);
  if (step.fits || !step.refusal.ok()) return step;
  for (const size_t victim : plan.evict) step.evict.push_back(std::move(all.places[victim]));
  return step;
}

}  // namespace inferd::repository
