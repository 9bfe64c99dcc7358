#include "kserve/gateway/inner_exchange.h"

#include <utility>

#include "base/text/ascii_case.h"
#include "net/http/transport_answer.h"

namespace inferd::gateway {

InnerExchange::InnerExchange(net::Loop& loop, net::Reply::Target& replies, std::shared_ptr<size_t> bytes_left,
                             Done done)
    : Exchange(replies),
      loop_(loop),
      bytes_left_(std::move(bytes_left)),
      done_(std::make_shared<Done>(std::move(done))) {}

InnerExchange::~InnerExchange() {
  if (timer_ != 0) loop_.CancelTimer(timer_);
  *done_ = nullptr;
  if (open()) TellPeerGone();
}

void InnerExchange::EndAfter(std::chrono::milliseconds timeout) {
  timer_ = loop_.RunAfter(timeout, [this] {
    timer_ = 0;
    if (open()) GiveUp(504, "the step did not answer in time");
  });
}

void InnerExchange::TellPeerGone() {
  if (on_peer_gone_) loop_.Post(std::exchange(on_peer_gone_, {}));
}

void InnerExchange::TakeHead(const net::HttpResponse& response) {
  answer_.status = response.status;
  answer_.content_type = response.content_type;
  for (const auto& [name, value] : response.headers) {
    if (base::EqualWithoutCase(name, "Content-Type")) answer_.content_type = value;
  }
}

bool InnerExchange::Keep(base::BufferSlice piece) {
  if (piece.size() > *bytes_left_) {
    GiveUp(502, "the answers of a graph's steps are too large");
    return false;
  }
  *bytes_left_ -= piece.size();
  bytes_ += piece.size();
  if (!piece.empty()) pieces_.push_back(std::move(piece));
  return true;
}

void InnerExchange::Send(net::HttpResponse&& response) {
  Start(std::move(response));
  if (open()) Finish();
}

void InnerExchange::Start(net::HttpResponse&& response) {
  TakeHead(response);
  for (base::BufferSlice& piece : response.body) {
    if (!Keep(std::move(piece))) return;
  }
}

bool InnerExchange::Write(base::BufferSlice piece) { return Keep(std::move(piece)); }

void InnerExchange::End(net::Trailers) { Finish(); }

void InnerExchange::Abandon() { Fail(502, "the answer broke off"); }

void InnerExchange::GiveUp(int status, std::string_view text) {
  TellPeerGone();
  Fail(status, text);
}

void InnerExchange::Fail(int status, std::string_view text) {
  net::HttpResponse response = net::TransportAnswer(status, text);
  TakeHead(response);
  pieces_.assign(response.body.begin(), response.body.end());
  bytes_ = 0;
  for (const base::BufferSlice& piece : pieces_) bytes_ += piece.size();
  Finish();
}

void InnerExchange::Finish() {
  Close();
  if (pieces_.size() == 1) {
    answer_.body = std::move(pieces_.front());
  } else if (bytes_ > 0) {
    std::string whole;
    whole.reserve(bytes_);
    for (const base::BufferSlice& piece : pieces_) whole.append(piece.view());
    answer_.body = base::BufferSlice(base::Buffer::CopyOf(whole));
  }
  pieces_.clear();
  loop_.Post([done = done_, answer = std::move(answer_)]() mutable {
    if (Done told = std::exchange(*done, nullptr)) told(std::move(answer));
  });
}

}  // namespace inferd::gateway
