#pragma once

#include "base/status.h"
#include "net/payloadlog/payload.h"

namespace inferd::payloadlog {

// Where payloads go. One for each thread that sends; within a bounded time.
class PayloadSink {
 public:
  virtual ~PayloadSink() = default;
  // UNAVAILABLE: it may be tried again. Any other error: the sink does not want this payload.
  virtual base::Status Send(const Payload& payload) = 0;
};

}  // namespace inferd::payloadlog
