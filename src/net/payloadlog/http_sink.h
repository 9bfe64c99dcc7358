#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "net/client/http_client.h"
#include "net/payloadlog/event_fields.h"
#include "net/payloadlog/payload_sink.h"

namespace inferd::payloadlog {

// A sink that posts each payload as a CloudEvent. Not thread-safe.
class HttpSink final : public PayloadSink {
 public:
  // Does not connect. `timeout` applies to a whole call. INVALID_ARGUMENT if `url` is invalid.
  static base::Result<std::unique_ptr<HttpSink>> Create(const std::string& url, EventOrigin origin,
                                                        std::chrono::milliseconds timeout);

  base::Status Send(const Payload& payload) override;

 private:
  HttpSink(std::unique_ptr<net::HttpClient> client, EventOrigin origin)
      : client_(std::move(client)), origin_(std::move(origin)) {}

  const std::unique_ptr<net::HttpClient> client_;
  const EventOrigin origin_;
};

}  // namespace inferd::payloadlog
