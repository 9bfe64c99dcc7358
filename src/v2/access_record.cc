#include "v2/access_record.h"

namespace inferd::v2 {

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
