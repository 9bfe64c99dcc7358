#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/logging.h"

namespace inferd::v2 {

// What the access log says about one request. What is empty does not apply.
struct AccessRecord {
  int64_t received_ns = 0;  // base::Clock::NowNs when its first byte was read
  std::string method;       // "POST"
  std::string target;       // the path, as sent
  std::string peer;
  std::string traceparent;
  std::string header_id;  // X-Request-Id
  std::string model;
  std::string version;  // the one that answered, or else the one that was asked for
  std::string id;
  std::string error;  // of a failure: the text that the client was given
};

// What is known of a request before its model is; `traceparent` as the client sent it, kept only if it is well-formed.
std::unique_ptr<AccessRecord> MakeAccessRecord(int64_t received_ns, std::string_view method, std::string_view target,
                                               std::string_view peer, std::string_view traceparent,
                                               std::string_view header_id);

// One line, at info level. `status` is the protocol's: 200, "NOT_FOUND".
void LogAccess(base::Logger& logger, const AccessRecord& record, const base::LogValue& status, int64_t now_ns);

}  // namespace inferd::v2
