#include "protocols/v2/access_record.h"

#include "protocols/v2/traceparent.h"

namespace inferd::v2 {

std::unique_ptr<AccessRecord> MakeAccessRecord(int64_t received_ns, std::string_view method, std::string_view target,
                                               std::string_view peer, std::string_view traceparent,
                                               std::string_view header_id) {
  auto record = std::make_unique<AccessRecord>();
  record->received_ns = received_ns;
  record->method = method;
  record->target = target;
  record->peer = peer;
  record->traceparent = CheckedTraceparent(traceparent);
  record->header_id = header_id;
  return record;
}

void LogAccess(base::Logger& logger, const AccessRecord& record, const base::LogValue& status, int64_t now_ns) {
  logger.Info("access", {{"method", record.method},
                         {"target", record.target},
                         {"status", status},
                         {"duration_us", (now_ns - record.received_ns) / 1000},
                         {"peer", record.peer},
                         {"model", record.model},
                         {"version", base::LogValue::NumberIn(record.version)},
                         {"request_id", record.id},
                         {"traceparent", record.traceparent},
                         {record.header_id.empty() ? "" : "x_request_id", record.header_id},
                         {record.error.empty() ? "" : "error", record.error}});
}

}  // namespace inferd::v2
