#pragma once

#include "base/status.h"
#include "net/payloadlog/payload.h"

namespace inferd::payloadlog {

// The destination of payloads. One for each sending thread. Each call takes bounded time.
class PayloadSink {
 public:
  virtual ~PayloadSink() = default;
  // UNAVAILABLE if the payload may be sent again. Any other error means that the sink refuses this payload.
  virtual base::Status Send(const Payload& payload) = 0;
};

}  // namespace inferd::payloadlog
