#include <algorithm>
#include <ctime>
#include <utility>

#include "base/clock.h"
#include "net/http2/callbacks.h"
#include "net/http2/connection.h"
#include "net/http2/response_fields.h"

// What a connection does frame by frame: what came, and what the streams want sent.

namespace inferd::net::http2 {

namespace {

// Both windows opened for each frame, some of it in two steps.
constexpr int64_t kControlFramesPerDataFrame = 4;
constexpr size_t kFrameHeaderBytes = 9;
constexpr size_t kGoawayBytesMax = 16 * 1024;
constexpr int64_t kRapidNs = 50'000'000;
constexpr uint8_t kDrainPing[8] = {};

bool IsGrpcType(std::string_view content_type) { return content_type.starts_with("application/grpc"); }

}  // namespace

int Connection::OnBeginFrame(const nghttp2_frame_hd& frame) {
  const bool all_data = frame.type == NGHTTP2_DATA && (frame.flags & NGHTTP2_FLAG_PADDED) == 0;
  frame_stream_ = frame.stream_id;
  frame_left_ = all_data ? frame.length : 0;
  // nghttp2 would keep all that such a frame says.
  if (frame.type == NGHTTP2_GOAWAY && frame.length > kGoawayBytesMax) return NGHTTP2_ERR_CALLBACK_FAILURE;
  // HEADERS of a stream that is closed are dropped by nghttp2. DATA may well be on its way when we end a stream.
  const bool works =
      frame.type == NGHTTP2_HEADERS
          ? frame.stream_id > nghttp2_session_get_last_proc_stream_id(session_) || Find(frame.stream_id) != nullptr
          : frame.type == NGHTTP2_DATA && frame.length > 0;
  if (!works && !control_frames_.Take()) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  return 0;
}

int Connection::OnBeginHeaders(const nghttp2_frame& frame) {
  headers_since_ns_ = now_ns_;
  const int32_t id = frame.hd.stream_id;
  if (frame.headers.cat == NGHTTP2_HCAT_REQUEST) {
    heading_ = streams_.emplace(id, std::make_unique<Stream>(*this, id, now_ns_)).first->second.get();
  } else {
    heading_ = Find(id);
  }
  return 0;
}

void Connection::OnFrame(const nghttp2_frame& frame) {
  const bool end_stream = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  const bool ack = (frame.hd.flags & NGHTTP2_FLAG_ACK) != 0;
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      headers_since_ns_ = 0;
      if (Stream* stream = std::exchange(heading_, nullptr)) stream->OnHeadersEnd(end_stream);
      break;
    case NGHTTP2_DATA:
      if (Stream* stream = Find(frame.hd.stream_id); stream != nullptr && end_stream) stream->OnDataEnd();
      break;
    case NGHTTP2_SETTINGS: greeted_ = greeted_ || !ack; break;
    case NGHTTP2_PING: OnPing(frame); break;
    default: break;
  }
}

void Connection::SubmitDrainPing() { nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, kDrainPing); }

void Connection::OnPing(const nghttp2_frame& frame) {
  if ((frame.hd.flags & NGHTTP2_FLAG_ACK) != 0) {
    if (draining_ && std::ranges::equal(frame.ping.opaque_data, kDrainPing)) SubmitFinalGoaway();
  } else if (grpc_ && !keepalive_.OnPing(now_ns_, !streams_.empty())) {
    TerminateSaying(NGHTTP2_ENHANCE_YOUR_CALM, "too_many_pings");  // gRPC clients know these words
  }
}

void Connection::NoteHead(const RequestHead& head) {
  if (!grpc_) grpc_ = IsGrpcType(head.Find("content-type").value_or(""));
}

void Connection::OnFrameSent(const nghttp2_frame& frame) {
  if (frame.hd.type == NGHTTP2_DATA) control_frames_.Credit(kControlFramesPerDataFrame);
  // nghttp2 would send a PING before a GOAWAY that was submitted first.
  if (frame.hd.type == NGHTTP2_GOAWAY && draining_ && !final_goaway_ && !ping_due_) SubmitDrainPing();
  if (frame.hd.type == NGHTTP2_WINDOW_UPDATE) keepalive_.OnWindowUpdateSent();
  const bool works = frame.hd.type == NGHTTP2_DATA || frame.hd.type == NGHTTP2_HEADERS;
  if (works) keepalive_.OnSent();
  if (!works || (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
  // In one write with it, and no request is open: a client that takes GOAWAY for the end of what it waits for, or reads
  // only while it waits, has lost nothing by then. Some take a PING behind GOAWAY for an error, and close at once: it
  // comes when they have had time for that.
  if (announced_ && !draining_ && streams_.size() <= 1) {
    // The last look at the clock may be as old as whatever has held the loop since.
    now_ns_ = std::max(now_ns_, base::SystemClock().NowNs());
    ping_due_ = !grpc_;
    SubmitNotice();
  }
  // Answered before the request was whole: the peer need not send the rest (RFC 9113, 8.1).
  const int32_t id = frame.hd.stream_id;
  if (nghttp2_session_get_stream_remote_close(session_, id) == 0) Reset(id, NGHTTP2_NO_ERROR);
}

void Connection::OnStreamClosed(int32_t id, uint32_t error_code) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  // A stream that has lived a while is no rapid reset: how many of those there are is for the stream limit to say.
  const bool rapid = now_ns_ - found->second->received_ns() < kRapidNs;
  const bool wasted = rapid && error_code != NGHTTP2_NO_ERROR && !found->second->answered();
  if (heading_ == found->second.get()) heading_ = nullptr;
  streams_.erase(found);
  active_ns_ = now_ns_;
  if (!wasted) resets_.Credit(1);
  if (wasted && !resets_.Take()) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
}

Stream* Connection::Find(int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Connection::SubmitContinue(int32_t id) {
  HttpResponse response;
  response.status = 100;
  const ResponseFields fields(response, std::nullopt, "");
  nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, id, nullptr, fields.data(), fields.size(), nullptr);
}

int Connection::OnData(int32_t id, std::span<const std::byte> data) {
  data_end_ = data.data() + data.size();
  frame_left_ -= std::min(frame_left_, data.size());
  Stream* stream = Find(id);
  const bool kept = stream != nullptr && stream->OnData(data, now_ns_);
  const int error = kept ? nghttp2_session_consume_connection(session_, data.size())
                         : nghttp2_session_consume(session_, id, data.size());
  return error == NGHTTP2_ERR_NOMEM ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

void Connection::Consume(int32_t id, size_t bytes) {
  if (failed_) return;
  nghttp2_session_consume_stream(session_, id, bytes);
  host_.WantWrite();
}

void Connection::SubmitResponse(Stream& stream, const HttpResponse& response, std::optional<uint64_t> content_length,
                                bool has_body) {
  if (failed_) return;
  const bool grpc = IsGrpcType(response.content_type);  // its servers send neither Date nor Content-Length
  const ResponseFields fields(response, grpc ? std::nullopt : content_length, grpc ? "" : Date(), stream.request_id(),
                              stream.answer_headers());
  const nghttp2_data_provider source = Callbacks::BodySource();
  const int error =
      nghttp2_submit_response(session_, stream.id(), fields.data(), fields.size(), has_body ? &source : nullptr);
  if (error != 0) Reset(stream.id(), NGHTTP2_INTERNAL_ERROR);
  host_.WantWrite();
}

void Connection::SubmitTrailers(const Stream& stream) {
  const ResponseFields fields(stream.trailers());
  const int error = nghttp2_submit_trailer(session_, stream.id(), fields.data(), fields.size());
  if (error != 0) Reset(stream.id(), NGHTTP2_INTERNAL_ERROR);
}

ssize_t Connection::ReadBody(int32_t id, size_t bytes_max, uint32_t& flags) {
  Stream* stream = Find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  bool ends = false;
  const int64_t bytes = stream->ReadyBytes(bytes_max, ends);
  if (bytes < 0) return NGHTTP2_ERR_DEFERRED;
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (!ends) return bytes;
  flags |= NGHTTP2_DATA_FLAG_EOF;
  if (stream->trailers().empty()) return bytes;
  flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
  SubmitTrailers(*stream);
  return bytes;
}

void Connection::Resume(int32_t id) {
  if (failed_) return;
  nghttp2_session_resume_data(session_, id);
  host_.WantWrite();
}

void Connection::Reset(int32_t id, uint32_t error_code) {
  if (failed_) return;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, error_code);
  host_.WantWrite();
}

int Connection::SendData(int32_t id, const nghttp2_frame& frame, const uint8_t* header, size_t bytes) {
  Stream* stream = Find(id);
  if (stream == nullptr || out_ == nullptr || frame.data.padlen > 0) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  host_.writer().Copy({reinterpret_cast<const std::byte*>(header), kFrameHeaderBytes}, *out_);
  stream->TakeBody(bytes, host_.writer(), *out_, now_ns_);
  data_taken_ += kFrameHeaderBytes + bytes;
  out_room_ -= std::min(out_room_, kFrameHeaderBytes + bytes);
  return out_room_ == 0 ? NGHTTP2_ERR_PAUSE : 0;
}

std::string_view Connection::Date() {
  const std::time_t now = std::time(nullptr);
  if (now != date_s_) {
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    date_.assign(text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc));
    date_s_ = now;
  }
  return date_;
}

}  // namespace inferd::net::http2
