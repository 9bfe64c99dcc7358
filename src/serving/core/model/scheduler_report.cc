#include "serving/core/model/scheduler_report.h"

namespace inferd::core {

std::string_view BatchReasonName(BatchReason reason) {
  switch (reason) {
    case BatchReason::kNotBatching: return "not_batching";
    case BatchReason::kFull: return "full";
    case BatchReason::kPreferredSize: return "preferred_size";
    case BatchReason::kDelayOver: return "delay_over";
    case BatchReason::kDeadline: return "deadline";
    case BatchReason::kNoneWaiting: return "none_waiting";
    case BatchReason::kOtherKind: return "other_kind";
    case BatchReason::kQuickSize: return "quick_size";
    case BatchReason::kRetry: return "retry";
    case BatchReason::kCautious: return "cautious";
  }
  return "unknown";
}

}  // namespace inferd::core
