#include "net/grpc/responder_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "net/compression/compression.h"
#include "net/grpc/call_sink.h"
#include "net/grpc/metadata.h"
#include "net/grpc/web.h"
#include "net/grpc/web_text.h"

namespace inferd::net::grpc {

namespace {

void AddMetadata(std::string_view name, std::string_view value, Trailers& out) {
  out.emplace_back(name, IsBinaryName(name) ? EncodeBase64(value) : std::string(value));
}

base::Status TooLong(uint64_t bytes) {
  return base::ResourceExhausted("Sent message larger than max (" + std::to_string(bytes) + " vs. " +
                                 std::to_string(kMessageBytesMax) + ")");
}

}  // namespace

Responder::State::State(const Environment& environment, Wire wire, ContentCoding coding, CallMetrics::OfMethod& metrics)
    : environment_(environment), wire_(wire), coding_(coding), metrics_(metrics) {}

void Responder::State::Open(Reply reply, int64_t received_ns, CallSink& sink) {
  loop_ = &reply.loop();
  reply_ = std::move(reply);
  received_ns_ = received_ns;
  sink_ = &sink;
}

void Responder::State::Abort(const base::Status& status) {
  if (finished_) return;
  Reply taken = reply_.key().Claim();
  if (!taken) return;  // Disconnect will follow
  reply_ = std::move(taken);
  waiting_.clear();
  SendEnd(status, {});
}

void Responder::State::Disconnect() {
  sink_ = nullptr;
  if (!finished_) BecomeFinished(base::StatusCode::kCancelled);
  reply_ = {};
}

void Responder::State::AddInitialMetadata(std::string_view name, std::string_view value) {
  AddMetadata(name, value, initial_metadata_);
}

void Responder::State::AddTrailingMetadata(std::string_view name, std::string_view value) {
  AddMetadata(name, value, trailing_metadata_);
}

bool Responder::State::WorthCompressing(uint64_t bytes) const {
  return coding_ != ContentCoding::kIdentity && bytes >= environment_.options.compress_bytes_min;
}

std::pair<Message, FrameFlag> Responder::State::Compressed(ContentCoding coding, int level, Message message) {
  const uint64_t bytes = BytesOf(message);
  auto compressed = Compress(coding, message, level);
  if (!compressed.has_value() || compressed->size() >= bytes) return {std::move(message), FrameFlag::kPlain};
  Message pieces;
  pieces.push_back(*std::move(compressed));
  return {std::move(pieces), FrameFlag::kCompressed};
}

bool Responder::State::Write(Message&& message) {
  if (ended()) return false;
  if (compressing_) {
    waiting_.push_back(std::move(message));
    return false;
  }
  const uint64_t bytes = BytesOf(message);
  if (bytes > kMessageBytesMax) {
    Abort(TooLong(bytes));
    return false;
  }
  if (!WorthCompressing(bytes)) return Send(std::move(message), FrameFlag::kPlain);
  if (bytes >= environment_.options.offload_compressed_bytes) {
    CompressElsewhere(std::move(message));
    return false;
  }
  auto [pieces, flag] = Compressed(coding_, environment_.options.response_compression_level, std::move(message));
  return Send(std::move(pieces), flag);
}

void Responder::State::OnWritable(base::Task task) {
  if (finished_) return;
  if (compressing_) {
    writable_ = std::move(task);
  } else if (writable_at_once_) {
    loop_->Post(std::move(task));
  } else {
    reply_.OnWritable(std::move(task));
  }
}

void Responder::State::Answer(Message&& message) {
  if (ended()) return;
  const uint64_t bytes = BytesOf(message);
  if (bytes > kMessageBytesMax) return Finish(TooLong(bytes), {});
  if (!started_ && !compressing_ && !WorthCompressing(bytes)) return SendWhole(std::move(message), FrameFlag::kPlain);
  if (!started_ && !compressing_ && bytes < environment_.options.offload_compressed_bytes) {
    auto [pieces, flag] = Compressed(coding_, environment_.options.response_compression_level, std::move(message));
    return SendWhole(std::move(pieces), flag);
  }
  Write(std::move(message));
  Finish(base::OkStatus(), {});
}

void Responder::State::Finish(const base::Status& status, std::string_view details) {
  if (ended()) return;
  if (compressing_) {
    end_ = End{status, std::string(details)};
  } else {
    SendEnd(status, details);
  }
}

void Responder::State::CompressElsewhere(Message&& message) {
  compressing_ = true;
  // The handler and its environment may be gone when the task runs.
  const int level = environment_.options.response_compression_level;
  environment_.pool.Post([state = shared_from_this(), level, message = std::move(message)]() mutable {
    auto compressed = Compressed(state->coding_, level, std::move(message));
    Loop& loop = state->loop();
    loop.Post([state = std::move(state), compressed = std::move(compressed)]() mutable {
      state->OnCompressed(std::move(compressed.first), compressed.second);
    });
  });
}

void Responder::State::OnCompressed(Message&& message, FrameFlag flag) {
  compressing_ = false;
  if (finished_) return;
  if (!started_ && end_.has_value() && end_->status.ok() && waiting_.empty()) {
    return SendWhole(std::move(message), flag);
  }
  Send(std::move(message), flag);
  SendWaiting();
}

void Responder::State::SendWaiting() {
  const std::optional<End> end = std::exchange(end_, std::nullopt);
  while (!waiting_.empty() && !compressing_ && !finished_) {
    Message message = std::move(waiting_.front());
    waiting_.pop_front();
    Write(std::move(message));
  }
  if (end.has_value()) return Finish(end->status, end->details);
  if (writable_ && !compressing_) OnWritable(std::exchange(writable_, {}));
}

void Responder::State::PutOnWire(boost::container::small_vector_base<base::BufferSlice>& pieces) const {
  if (wire_ != Wire::kWebText) return;
  base::BufferSlice text = EncodeText({pieces.data(), pieces.size()});
  pieces.clear();
  pieces.push_back(std::move(text));
}

bool Responder::State::Send(Message&& message, FrameFlag flag) {
  boost::container::small_vector<base::BufferSlice, 4> pieces;
  AppendFrame(std::move(message), flag, pieces);
  PutOnWire(pieces);
  if (!std::exchange(started_, true)) reply_.Start(MakeHead());
  for (base::BufferSlice& piece : pieces) writable_at_once_ = reply_.Write(std::move(piece));
  return writable_at_once_;
}

void Responder::State::SendWhole(Message&& message, FrameFlag flag) {
  HttpResponse response = MakeHead();
  AppendFrame(std::move(message), flag, response.body);
  Trailers trailers = TakeTrailers(base::OkStatus(), {});
  if (web()) {
    response.body.push_back(WebTrailersFrame(trailers));
    PutOnWire(response.body);
  } else {
    response.trailers = std::move(trailers);
  }
  reply_.Send(std::move(response));
  BecomeFinished(base::StatusCode::kOk);
}

void Responder::State::SendEnd(const base::Status& status, std::string_view details) {
  Trailers trailers = TakeTrailers(status, details);
  if (started_) {
    if (web()) {
      boost::container::small_vector<base::BufferSlice, 1> frame;
      frame.push_back(WebTrailersFrame(std::exchange(trailers, {})));
      PutOnWire(frame);
      reply_.Write(std::move(frame[0]));
    }
    reply_.End(std::move(trailers));
    return BecomeFinished(status.code());
  }
  // "Trailers-Only" would turn initial metadata into trailing metadata.
  const bool trailers_only = !status.ok() && initial_metadata_.empty();
  HttpResponse response = MakeHead();
  if (trailers_only) {
    std::move(trailers.begin(), trailers.end(), std::back_inserter(response.headers));
  } else if (web()) {
    response.body.push_back(WebTrailersFrame(trailers));
    PutOnWire(response.body);
  } else {
    response.trailers = std::move(trailers);
  }
  reply_.Send(std::move(response));
  BecomeFinished(status.code());
}

HttpResponse Responder::State::MakeHead() {
  HttpResponse response = MakeCallHead(wire_, environment_.options);
  if (coding_ != ContentCoding::kIdentity) {
    response.headers.emplace_back("grpc-encoding", ContentCodingName(coding_));
  }
  std::move(initial_metadata_.begin(), initial_metadata_.end(), std::back_inserter(response.headers));
  initial_metadata_.clear();
  return response;
}

Trailers Responder::State::TakeTrailers(const base::Status& status, std::string_view details) {
  Trailers trailers;
  trailers.reserve(1 + trailing_metadata_.size());
  AppendStatus(status, details, trailers);
  std::move(trailing_metadata_.begin(), trailing_metadata_.end(), std::back_inserter(trailers));
  trailing_metadata_.clear();
  return trailers;
}

void Responder::State::BecomeFinished(base::StatusCode code) {
  finished_ = true;
  metrics_.Count(code, received_ns_ == 0 ? 0 : environment_.clock.NowNs() - received_ns_);
  waiting_.clear();
  end_.reset();
  writable_ = {};
  if (sink_ != nullptr) sink_->OnFinished();
}

}  // namespace inferd::net::grpc
