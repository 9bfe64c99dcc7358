#pragma once

#include "config/options/server_options.h"
#include "serving/repository/records/model_records.h"

namespace inferd::repository {

// Tracks if the models of the initial set are ready, as the server's mode asks. Once reached, that stays true, as
// models may be unloaded later. kEvery also needs, at any time, that no wanted version has failed. Not thread-safe:
// guarded by the manager's lock.
class Readiness final {
 public:
  explicit Readiness(config::ReadinessMode mode) : mode_(mode) {}

  // Takes in the totals of the records' last Settle().
  void Update(const ModelRecords& records) {
    seen_ = seen_ || Reached(records);
    failed_ = mode_ == config::ReadinessMode::kEvery && records.totals().failed > 0;
  }
  bool seen() const { return seen_ && !failed_; }
  // Returns true if the server is ready with whatever models it has.
  bool AsksNothing() const { return mode_ == config::ReadinessMode::kServer; }

 private:
  bool Reached(const ModelRecords& records) const;

  const config::ReadinessMode mode_;
  bool seen_ = false;
  bool failed_ = false;
};

}  // namespace inferd::repository
