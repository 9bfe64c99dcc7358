#pragma once

#include "config/options/server_options.h"
#include "serving/repository/records/model_records.h"

namespace inferd::repository {

// Whether the models that the server is to have at first are there, as far as its mode asks for it. Once they were, it
// stays so: models may go again. kEvery asks besides that no model fails then. Not thread-safe: guarded by the
// manager's lock.
class Readiness final {
 public:
  explicit Readiness(config::ReadinessMode mode) : mode_(mode) {}

  // As of the records' last Settle().
  void Update(const ModelRecords& records) {
    seen_ = seen_ || Reached(records);
    failed_ = mode_ == config::ReadinessMode::kEvery && records.totals().failed > 0;
  }
  bool seen() const { return seen_ && !failed_; }
  // The server is ready with whatever models it has.
  bool AsksNothing() const { return mode_ == config::ReadinessMode::kServer; }

 private:
  bool Reached(const ModelRecords& records) const;

  const config::ReadinessMode mode_;
  bool seen_ = false;
  bool failed_ = false;
};

}  // namespace inferd::repository
