#include "net/http1/request_reader.h"

#include <cstring>
#include <memory>
#include <utility>

#include "base/clock.h"

namespace inferd::net::http1 {

namespace {

constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

}  // namespace

std::span<std::byte> RequestReader::Space() {
  reading_into_body_ = false;
  if (state_ == State::kBody && input_.empty()) {
    const std::span<std::byte> space = body_.Space();
    reading_into_body_ = !space.empty();
    if (reading_into_body_) return space;
  }
  return input_.Space(state_ != State::kExecuting);
}

bool RequestReader::CommitBody(size_t bytes) {
  clock_.Restart();
  const BodyReader::Result result = body_.Commit(bytes);
  if (result == BodyReader::Result::kMore) return true;
  RefuseBody(result);
  return false;
}

RequestReader::Event RequestReader::ReadHead() {
  const std::string_view text = input_.text();
  if (text.empty()) return Event::kNone;
  if (request_.received_ns == 0) {
    request_.received_ns = base::SystemClock().NowNs();
    clock_.Restart();
  }
  if (const size_t bytes = scanner_.fresh() ? repeated_.Match(text) : 0; bytes > 0) return RepeatRequest(bytes);
  switch (scanner_.Scan(text)) {
    case HeadScanner::State::kMore: return eof_ ? Event::kEnd : Event::kNone;
    case HeadScanner::State::kError: return Refuse(scanner_.error());
    case HeadScanner::State::kDone: break;
  }
  if (find_http2_ && scanner_.begin() == 0 && text.starts_with(kHttp2Preface.substr(0, 18))) return Event::kHttp2;
  return ParseRequest(text.substr(scanner_.begin(), scanner_.end() - scanner_.begin()));
}

// Copies the head once, to memory of its exact size that belongs to the request.
RequestReader::Event RequestReader::ParseRequest(std::string_view text) {
  const size_t end = scanner_.end();
  scanner_.Reset();
  const auto& [peer, local] = host_.ends();
  auto store = std::make_shared_for_overwrite<char[]>(text.size() + peer.size() + local.size());
  char* const ends = store.get() + text.size();
  std::memcpy(store.get(), text.data(), text.size());
  std::memcpy(ends, peer.data(), peer.size());
  std::memcpy(ends + peer.size(), local.data(), local.size());
  input_.Skip(end);
  RequestHead& head = request_.head;
  head.peer = {ends, peer.size()};
  head.local = {ends + peer.size(), local.size()};
  head.tls = host_.tls();
  const std::string_view kept(store.get(), text.size());
  auto framing = ParseHead(kept, host_.limits(), head);
  request_.store = std::move(store);
  if (!framing.has_value()) return Refuse(std::move(framing.error()));
  framing_ = *framing;
  repeated_.Keep(kept, request_, framing_);
  return Event::kHead;
}

RequestReader::Event RequestReader::RepeatRequest(size_t bytes) {
  framing_ = repeated_.CopyTo(request_);
  input_.Skip(bytes);
  return Event::kHead;
}

void RequestReader::BeginBody(Body&& body) {
  body_.Begin(std::move(body), body_length());
  state_ = State::kBody;
  clock_.Restart();
}

RequestReader::Event RequestReader::ReadBody() {
  if (!input_.empty()) clock_.Restart();
  const BodyReader::Result result = body_.Read(input_);
  if (result == BodyReader::Result::kDone) return Event::kBody;
  if (result == BodyReader::Result::kMore) return eof_ ? Event::kEnd : Event::kNone;
  return RefuseBody(result);
}

RequestReader::Event RequestReader::DropRest() {
  const BodyReader::Result result = body_.Drop(input_);
  if (result == BodyReader::Result::kMore && !eof_) return Event::kNone;
  if (result != BodyReader::Result::kDone) return Event::kEnd;
  state_ = State::kHead;
  clock_.Restart();
  return Event::kDropped;
}

RequestReader::Event RequestReader::RefuseBody(BodyReader::Result result) {
  switch (result) {
    case BodyReader::Result::kTooLarge: return Refuse({413, "request body too large"});
    case BodyReader::Result::kNoMemory: return Refuse({503, "too many request bytes in flight"});
    case BodyReader::Result::kTrailersTooLarge: return Refuse({431, "request trailers too large"});
    default: return Refuse({400, "malformed chunked body"});
  }
}

RequestReader::Event RequestReader::Refuse(HttpError error) {
  error_ = std::move(error);
  return Event::kRefused;
}

void RequestReader::Next() {
  request_ = HttpRequest();
  framing_ = Framing();
  clock_.Restart();
  state_ = State::kHead;
}

void RequestReader::DropBody(std::optional<uint64_t> length, uint64_t chunked_bytes_max) {
  body_.BeginDrop(length, chunked_bytes_max);
  state_ = State::kDropping;
}

void RequestReader::Stop() {
  state_ = State::kFinished;
  body_.Reset();
}

}  // namespace inferd::net::http1
