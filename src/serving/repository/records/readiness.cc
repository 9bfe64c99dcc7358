#include "serving/repository/records/readiness.h"

#include <utility>

namespace inferd::repository {

bool Readiness::Reached(const ModelRecords& records) const {
  const RecordTotals& totals = records.totals();
  const auto initial = static_cast<int64_t>(records.initial().size());
  switch (mode_) {
    case config::ReadinessMode::kServer: return true;
    case config::ReadinessMode::kNamed: return totals.named_available == records.named();
    case config::ReadinessMode::kAny: return initial == 0 || totals.initial_available > 0;
    case config::ReadinessMode::kTried:
      return totals.initial_tried == initial && (initial == 0 || totals.initial_available > 0);
    case config::ReadinessMode::kEvery:
    case config::ReadinessMode::kAll: return totals.initial_up == initial;
  }
  std::unreachable();
}

}  // namespace inferd::repository
