#include "v2/access_record.h"

#include "v2/traceparent.h"

namespace inferd::v2 {

std::unique_ptr<AccessRecord> MakeAccessRecord(int64_t received_ns, std::string_view method, std::string_view target,
                                               std::string_view peer, std::string_view traceparent) {
  auto record = std::make_unique<AccessRecord>();
  record->received_ns = received_ns;
  record->method = method;
  record->target = target;
  record->peer = peer;
  record->traceparent = CheckedTraceparent(traceparent);
  return record;
}

void LogAccess(base::Logger& logger, const AccessRecord& record, std::string_view status, int64_t now_ns) {
  const std::string duration_us = std::to_string((now_ns - record.received_ns) / 1000);
  logger.Info("access", {{"method", record.method},
                         {"target", record.target},
                         {"status", status},
                         {"duration_us", duration_us},
                         {"peer", record.peer},
                         {"model", record.model},
                         {"version", record.version},
                         {"request_id", record.id},
                         {"traceparent", record.traceparent}});
}

}  // namespace inferd::v2
