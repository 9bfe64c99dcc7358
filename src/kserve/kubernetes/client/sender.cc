#include "kserve/kubernetes/client/sender.h"

#include <algorithm>
#include <utility>

namespace inferd::kubernetes {

namespace {

constexpr int kTooManyRequests = 429;

bool IsWorthAnotherTry(const ApiRequest& request, const ApiError& error) {
  if (error.status != base::StatusCode::kUnavailable) return false;
  if (error.code == kTooManyRequests || (error.code != 0 && error.retry_after.has_value())) return true;
  return request.method != "POST";
}

std::unexpected<ApiError> Stopped() {
  return std::unexpected(ErrorWithoutAnswer(base::Cancelled("the request was cancelled")));
}

}  // namespace

Sender::Sender(ClusterAccess access, SenderOptions options, const base::Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      pacer_(options_.requests_per_second, options_.burst),
      transport_(std::move(access), clock, options_.user_agent) {}

bool Sender::AwaitTurn(const std::stop_token& stop) {
  const auto turn = pacer_.Take(clock_.NowNs());
  if (turn.count() == 0) return !stop.stop_requested();
  return options_.pause(std::chrono::ceil<std::chrono::milliseconds>(turn), stop);
}

ApiResult<std::string> Sender::SendOnce(const ApiRequest& request, const std::stop_token& stop) {
  std::string body;
  const auto sink = [&](std::string_view bytes) -> ApiResult<void> {
    if (bytes.size() > options_.answer_bytes_max - body.size()) {
      return std::unexpected(ErrorWithoutAnswer(base::ResourceExhausted(
          "an answer of the API server has more than " + std::to_string(options_.answer_bytes_max) + " bytes")));
    }
    body += bytes;
    return {};
  };
  auto exchanged = transport_.Exchange(request, sink, stop);
  if (!exchanged.has_value()) return std::unexpected(std::move(exchanged).error());
  return body;
}

ApiResult<std::string> Sender::Send(ApiRequest request, const std::stop_token& stop) {
  if (request.time_limit.count() == 0) request.time_limit = options_.time_limit;
  for (int failed = 1;; ++failed) {
    if (!AwaitTurn(stop)) return Stopped();
    auto sent = SendOnce(request, stop);
    if (sent.has_value() || !IsWorthAnotherTry(request, sent.error()) || failed >= options_.retry.attempts) return sent;
    auto pause = storage::PauseBehind(failed - 1, options_.retry);
    if (const auto asked = sent.error().retry_after) {
      pause = std::max<std::chrono::milliseconds>(pause, std::min(*asked, options_.retry_after_max));
    }
    if (!options_.pause(pause, stop)) return Stopped();
  }
}

ApiResult<void> Sender::Stream(const ApiRequest& request, const Transport::Sink& sink, const std::stop_token& stop) {
  if (!AwaitTurn(stop)) return Stopped();
  return transport_.Exchange(request, sink, stop);
}

}  // namespace inferd::kubernetes
