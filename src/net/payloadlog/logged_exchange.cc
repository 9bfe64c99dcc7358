#include "net/payloadlog/logged_exchange.h"

#include <algorithm>
#include <string>

#include "base/clock.h"
#include "net/payloadlog/payload_fields.h"

namespace inferd::payloadlog {

namespace {

constexpr int kOk = 200;

// gRPC puts its status after the body; its HTTP status is always 200.
bool SaysFailure(const net::HeaderList& fields) {
  return std::ranges::any_of(fields,
                             [](const auto& field) { return field.first == "grpc-status" && field.second != "0"; });
}

}  // namespace

LoggedExchange::LoggedExchange(net::Reply::Target& target, net::Reply outer, PayloadLog& log, Payload response,
                               std::function<void(LoggedExchange&)> on_done)
    : Exchange(target), outer_(std::move(outer)), log_(log), kept_(std::move(response)), on_done_(std::move(on_done)) {}

void LoggedExchange::Keep(const net::HttpResponse& response) {
  if (response.status != kOk || SaysFailure(response.headers)) return kept_.reset();
  kept_->wall_ns = base::SystemClock().WallNs();
  kept_->fields = ResponseFields(response);
  for (const base::BufferSlice& piece : response.body) KeepPiece(piece);
}

void LoggedExchange::KeepPiece(const base::BufferSlice& piece) {
  if (!kept_.has_value()) return;
  kept_bytes_ += piece.size();
  if (kept_bytes_ > log_.bytes_max()) {
    kept_.reset();
    return log_.DropTooLarge();
  }
  kept_->body.push_back(piece);
}

void LoggedExchange::Put(const net::Trailers& trailers) {
  if (kept_.has_value() && !SaysFailure(trailers)) log_.Put(*std::exchange(kept_, std::nullopt));
}

void LoggedExchange::Send(net::HttpResponse&& response) {
  Keep(response);
  Put(response.trailers);
  outer_.Send(std::move(response));
  Done();
}

void LoggedExchange::Start(net::HttpResponse&& response) {
  begun_ = true;
  Keep(response);
  outer_.Start(std::move(response));
}

bool LoggedExchange::Write(base::BufferSlice piece) {
  KeepPiece(piece);
  return outer_.Write(std::move(piece));
}

void LoggedExchange::End(net::Trailers trailers) {
  Put(trailers);
  outer_.End(std::move(trailers));
  Done();
}

void LoggedExchange::OnPeerGone(base::Task task) {
  *peer_gone_ = std::move(task);
  outer_.OnPeerGone([task = peer_gone_] {
    if (*task) std::exchange(*task, {})();
  });
}

void LoggedExchange::TellPeerGone() {
  if (*peer_gone_) outer_.loop().Post(std::exchange(*peer_gone_, {}));
}

void LoggedExchange::Abandon() {
  // The transport answers a dropped Reply.
  outer_ = net::Reply();
  Done();
}

void LoggedExchange::Done() {
  *peer_gone_ = {};
  Close();
  on_done_(*this);
}

}  // namespace inferd::payloadlog
