#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/logging.h"

namespace inferd::v2 {

// The content of one request's line in the access log. Empty members do not apply.
struct AccessRecord {
  int64_t received_ns = 0;  // base::Clock::NowNs when its first byte was read
  std::string method;       // "POST"
  std::string target;       // the path, as sent
  std::string peer;
  std::string traceparent;
  std::string header_id;  // X-Request-Id
  std::string model;
  std::string version;  // the version that answered, or else the requested one
  std::string id;
  std::string error;  // for a failure: the text that the client received
};

// Makes a record of the facts known before the model is. `traceparent` is the client's; it is kept only if it is
// well-formed.
std::unique_ptr<AccessRecord> MakeAccessRecord(int64_t received_ns, std::string_view method, std::string_view target,
                                               std::string_view peer, std::string_view traceparent,
                                               std::string_view header_id);

// Writes one line at info level. `status` is the protocol's: 200, "NOT_FOUND".
void LogAccess(base::Logger& logger, const AccessRecord& record, const base::LogValue& status, int64_t now_ns);

}  // namespace inferd::v2
