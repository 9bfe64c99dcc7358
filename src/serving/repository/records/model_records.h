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

// What the manager knows of its models together. One model's part of it is a total as well.
struct RecordTotals {
  int64_t changing = 0;           // models with a folder that is being written
  int64_t ending = 0;             // versions with loads that are under way, or not quite gone
  int64_t waiting = 0;            // requests that wait for a load
  int64_t resident_versions = 0;  // loads that hold memory: loading, ready, or not quite gone
  int64_t initial_available = 0;  // models of the initial set that answer requests
  int64_t initial_up = 0;         // of these, with every wanted version tried
  int64_t initial_tried = 0;      // models of the initial set that serve, or cannot
  int64_t failed = 0;             // models of which a version that is wanted failed to load
  int64_t named_available = 0;    // models that readiness names and that answer requests
  HeldMemory resident;            // by the resident versions

  bool operator==(const RecordTotals&) const = default;
};

// The models' records, and what they come to together, which is kept up to date from the records that change: no step
// walks all of them. A record is changed through Change() or Add(), so that it is known which did. Not thread-safe:
// guarded by the manager's lock.
class ModelRecords final {
 public:
  using Map = std::map<std::string, ModelRecord, std::less<>>;

  // `named`: the models that readiness asks for by name.
  explicit ModelRecords(const std::vector<std::string>& named) : named_(named.begin(), named.end()) {}

  const Map& all() const { return records_; }
  const ModelRecord* Find(std::string_view name) const;
  // Null: there is none.
  ModelRecord* Change(std::string_view name);
  // The model's, which may be new.
  ModelRecord& Add(const std::string& name);
  void Erase(const std::string& name);

  // Which models need which others. How those that are needed look is noted by Settle().
  Dependencies& dependencies() { return dependencies_; }
  const Dependencies& dependencies() const { return dependencies_; }

  // The initial set: what is to be tried before the server is ready.
  void Expect(const std::string& name);
  void Forget(const std::string& name);
  const std::set<std::string, std::less<>>& initial() const { return initial_; }
  int64_t named() const { return static_cast<int64_t>(named_.size()); }

  // Takes in what has changed. The sums and sets below are of the last call.
  void Settle();
  const RecordTotals& totals() const { return totals_; }
  // How many records all calls of Settle() together have looked at.
  uint64_t settled() const { return settled_count_; }
  const std::set<std::string, std::less<>>& waiting() const { return waiting_; }    // models that requests wait for
  const std::set<std::string, std::less<>>& resident() const { return resident_; }  // models with resident versions
  const std::set<std::string, std::less<>>& failed() const { return failed_; }      // models with versions that failed
  // Models of the initial set that were tried and have no version ready, with why.
  const std::map<std::string, std::string, std::less<>>& failures() const { return failures_; }

  // The transitions of versions that were refused since the last call, as of the last Settle(): faults of the
  // manager's.
  std::vector<std::string> TakeRefused();
  // How many there ever were.
  uint64_t refused() const { return refused_count_; }

  // The models that changed, came or went since the last call, as of the last Settle(). Each once.
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
  // Of models that have any.
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
