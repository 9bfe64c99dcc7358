#include "net/payloadlog/http_sink.h"

#include <algorithm>
#include <utility>

namespace inferd::payloadlog {

namespace {

constexpr size_t kAnswerBytesMax = 1 << 20;
constexpr std::chrono::milliseconds kConnectTimeout{1'000};

// True if a retry may help: the sink is busy, or something on the way to it fails.
bool MayChange(int status) { return status == 408 || status == 429 || status >= 500; }

}  // namespace

base::Result<std::unique_ptr<HttpSink>> HttpSink::Create(const std::string& url, EventOrigin origin,
                                                         std::chrono::milliseconds timeout) {
  INFERD_ASSIGN_OR_RETURN(auto client, net::HttpClient::Create({.url = url,
                                                                .connect_timeout = std::min(kConnectTimeout, timeout),
                                                                .timeout = timeout,
                                                                .body_bytes_max = kAnswerBytesMax}));
  return std::unique_ptr<HttpSink>(new HttpSink(std::move(client), std::move(origin)));
}

base::Status HttpSink::Send(const Payload& payload) {
  net::ClientRequest request{.method = "POST", .headers = EventFields(origin_, payload)};
  request.body.reserve(payload.body_bytes());
  for (const base::BufferSlice& piece : payload.body) request.body.append(piece.view());
  const auto answer = client_->Call(request);
  if (!answer.has_value()) return base::Unavailable(std::string(answer.error().message()));
  if (answer->status >= 200 && answer->status < 300) return base::OkStatus();
  const std::string text = client_->url() + " answered " + std::to_string(answer->status);
  return MayChange(answer->status) ? base::Unavailable(text) : base::FailedPrecondition(text);
}

}  // namespace inferd::payloadlog
