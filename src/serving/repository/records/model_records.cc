#include "serving/repository/records/model_records.h"

#include <algorithm>
#include <utility>

#include "serving/repository/records/needs.h"

namespace inferd::repository {

namespace {

constexpr int64_t RecordTotals::* kSums[] = {&RecordTotals::changing,
                                             &RecordTotals::ending,
                                             &RecordTotals::loading,
                                             &RecordTotals::waiting,
                                             &RecordTotals::resident_versions,
                                             &RecordTotals::initial_available,
                                             &RecordTotals::initial_up,
                                             &RecordTotals::initial_tried,
                                             &RecordTotals::named_available,
                                             &RecordTotals::failed};

void KeepIf(bool keep, const std::string& name, std::set<std::string, std::less<>>& names) {
  if (keep) {
    names.insert(name);
  } else {
    names.erase(name);
  }
}

}  // namespace

const ModelRecord* ModelRecords::Find(std::string_view name) const {
  const auto it = records_.find(name);
  return it == records_.end() ? nullptr : &it->second;
}

ModelRecord* ModelRecords::Change(std::string_view name) {
  const auto it = records_.find(name);
  if (it == records_.end()) return nullptr;
  unsettled_.insert(it->first);
  return &it->second;
}

ModelRecord& ModelRecords::Add(const std::string& name) {
  unsettled_.insert(name);
  ModelRecord& record = records_[name];
  record.name = name;
  return record;
}

void ModelRecords::Erase(const std::string& name) {
  unsettled_.insert(name);
  dependencies_.Set(name, {});
  records_.erase(name);
}

void ModelRecords::Expect(const std::string& name) {
  if (initial_.insert(name).second) unsettled_.insert(name);
}

void ModelRecords::Forget(const std::string& name) {
  if (initial_.erase(name) > 0) unsettled_.insert(name);
}

RecordTotals ModelRecords::TotalsOf(const std::string& name, const ModelRecord& record) const {
  RecordTotals totals;
  totals.changing = record.changing ? 1 : 0;
  totals.waiting = static_cast<int64_t>(record.Waiters());
  for (const auto& [number, version] : record.versions) {
    const int serving = version.serving() == nullptr ? 0 : 1;
    if (version.alive() > serving) ++totals.ending;
    if (version.phase() == VersionHarness::Phase::kLoading) ++totals.loading;
    totals.resident_versions += version.alive();
    totals.resident.Add(version.held(), version.alive());
  }
  totals.failed = record.WantedFailed() ? 1 : 0;
  if (named_.contains(name) && record.Available()) totals.named_available = 1;
  if (!initial_.contains(name)) return totals;
  const bool up = record.Up();
  totals.initial_available = record.Available() ? 1 : 0;
  totals.initial_up = up || !record.polled ? 1 : 0;
  totals.initial_tried = up || !record.Failure().empty() ? 1 : 0;
  return totals;
}

void ModelRecords::NoteRefused(const std::string& name, ModelRecord& record) {
  for (auto& [number, version] : record.versions) {
    const auto refused = version.TakeRefused();
    if (!refused.has_value()) continue;
    ++refused_count_;
    refused_.push_back("'" + name + "' version " + std::to_string(number) + ": " + *refused);
  }
}

std::vector<std::string> ModelRecords::TakeRefused() { return std::exchange(refused_, {}); }

void ModelRecords::SettleOne(const std::string& name) {
  const auto known = records_.find(name);
  const ModelRecord* const record = known == records_.end() ? nullptr : &known->second;
  if (record != nullptr) NoteRefused(name, known->second);
  if (!dependencies_.DependentsOf(name).empty()) {
    dependencies_.NoteLook(name, record == nullptr ? "unknown" : LookToDependents(*record));
  }
  RecordTotals now = record == nullptr ? RecordTotals{} : TotalsOf(name, *record);
  if (record == nullptr && initial_.contains(name)) now.initial_tried = 1;
  const auto part = parts_.find(name);
  const RecordTotals before = part == parts_.end() ? RecordTotals{} : part->second;
  for (const auto sum : kSums) totals_.*sum += now.*sum - before.*sum;
  totals_.resident.Add(now.resident);
  totals_.resident.Remove(before.resident);
  if (now == RecordTotals{}) {
    if (part != parts_.end()) parts_.erase(part);
  } else {
    parts_.insert_or_assign(name, now);
  }
  KeepIf(now.waiting > 0, name, waiting_);
  KeepIf(now.resident_versions > 0, name, resident_);
  KeepIf(record != nullptr && record->AnyFailed(), name, failed_);
  failures_.erase(name);
  if (!initial_.contains(name)) return;
  std::string failure = record == nullptr ? "not found in any repository" : record->Failure();
  if (!failure.empty()) failures_.emplace(name, std::move(failure));
}

void ModelRecords::Settle() {
  for (const std::string& name : unsettled_) SettleOne(name);
  settled_count_ += unsettled_.size();
  changed_.merge(unsettled_);
  unsettled_.clear();
}

std::vector<std::string> ModelRecords::TakeChanged() {
  std::vector<std::string> changed(changed_.begin(), changed_.end());
  changed_.clear();
  return changed;
}

}  // namespace inferd::repository
