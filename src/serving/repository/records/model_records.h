#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "serving/repository/records/dependencies.h"
#include "serving/repository/records/model_record.h"

namespace inferd::repository {

// Totals over all models. A single model's share of them has the same type.
struct RecordTotals {
  int64_t changing = 0;           // models whose folder is being written
  int64_t ending = 0;             // versions with a load that is in progress or not quite gone
  int64_t waiting = 0;            // requests that wait for a load
  int64_t loading = 0;            // versions whose load is in progress
  int64_t resident_versions = 0;  // loads that hold memory: loading, ready or leaving
  int64_t initial_available = 0;  // models of the initial set that answer requests
  int64_t initial_up = 0;         // of these, with every wanted version tried; and models that are not polled
  int64_t initial_tried = 0;      // models of the initial set that serve, or cannot
  int64_t failed = 0;             // models of which a version that is wanted failed to load
  int64_t named_available = 0;    // models that readiness names and that answer requests
  HeldMemory resident;            // by the resident versions

  bool operator==(const RecordTotals&) const = default;
};

// The models' records and their totals. The totals are updated from the changed records alone: no step walks all of
// them. Change a record only through Change() or Add(), which note that it changed. Not thread-safe: guarded by the
// manager's lock.
class ModelRecords final {
 public:
  using Map = std::map<std::string, ModelRecord, std::less<>>;

  // `named`: the models whose readiness the options ask for by name.
  explicit ModelRecords(const std::vector<std::string>& named) : named_(named.begin(), named.end()) {}

  const Map& all() const { return records_; }
  const ModelRecord* Find(std::string_view name) const;
  // Null if there is no such model.
  ModelRecord* Change(std::string_view name);
  // Returns the model's record, and adds it if it is new.
  ModelRecord& Add(const std::string& name);
  void Erase(const std::string& name);

  // The dependencies between models. Settle() notes how needed models look to the models that need them.
  Dependencies& dependencies() { return dependencies_; }
  const Dependencies& dependencies() const { return dependencies_; }

  // The initial set: the models to try before the server is ready.
  void Expect(const std::string& name);
  void Forget(const std::string& name);
  const std::set<std::string, std::less<>>& initial() const { return initial_; }
  int64_t named() const { return static_cast<int64_t>(named_.size()); }

  // Takes in the changed records. The totals and sets below are as of the last call.
  void Settle();
  const RecordTotals& totals() const { return totals_; }
  // Returns how many records all calls of Settle() together have looked at.
  uint64_t settled() const { return settled_count_; }
  const std::set<std::string, std::less<>>& waiting() const { return waiting_; }    // models for which requests wait
  const std::set<std::string, std::less<>>& resident() const { return resident_; }  // models with resident versions
  const std::set<std::string, std::less<>>& failed() const { return failed_; }      // models with versions that failed
  // Models of the initial set that were tried and have no version ready, with the reason.
  const std::map<std::string, std::string, std::less<>>& failures() const { return failures_; }

  // Returns the transitions of versions that were refused since the last call, as of the last Settle(). Each is a
  // defect of the manager.
  std::vector<std::string> TakeRefused();
  // Returns how many transitions were refused in all.
  uint64_t refused() const { return refused_count_; }

  // Returns the names of models that changed, came or went since the last call, as of the last Settle(). Each once.
  std::vector<std::string> TakeChanged();

 private:
  RecordTotals TotalsOf(const std::string& name, const ModelRecord& record) const;
  void SettleOne(const std::string& name);
  void NoteRefused(const std::string& name, ModelRecord& record);

  Map records_;
  Dependencies dependencies_;
  const std::set<std::string, std::less<>> named_;
  std::set<std::string, std::less<>> initial_;
  std::set<std::string, std::less<>> unsettled_;
  std::set<std::string, std::less<>> changed_;
  // By model. Models without any share are left out.
  std::map<std::string, RecordTotals, std::less<>> parts_;
  RecordTotals totals_;
  uint64_t settled_count_ = 0;
  std::vector<std::string> refused_;
  uint64_t refused_count_ = 0;
  std::set<std::string, std::less<>> waiting_;
  std::set<std::string, std::less<>> resident_;
  std::set<std::string, std::less<>> failed_;
  std::map<std::string, std::string, std::less<>> failures_;
};

}  // namespace inferd::repository
