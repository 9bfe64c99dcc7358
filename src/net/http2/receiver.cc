#include "net/http2/receiver.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace inferd::net::http2 {

namespace {

constexpr size_t kOutboundFramesMax = 5000;    // waiting for a peer that does not read
constexpr size_t kDirectBytesMin = 32 * 1024;  // less is read together with the bytes after it, and copied
constexpr size_t kGoawayBytesMax = 16 * 1024;
constexpr int64_t kRapidNs = 50'000'000;

}  // namespace

std::span<std::byte> Receiver::PrepareRead() {
  std::span<std::byte> space = FrameSpace();
  if (space.empty()) space = link_.host.read_space();
  inbox_ = space.data();
  return space;
}

std::span<std::byte> Receiver::FrameSpace() {
  if (frame_left_ < kDirectBytesMin || ending_.deaf()) return {};
  Stream* stream = streams_.Find(frame_stream_);
  if (stream == nullptr) return {};
  const std::span<std::byte> space = stream->Space();
  return space.size() < kDirectBytesMin ? std::span<std::byte>() : space.first(std::min(space.size(), frame_left_));
}

int Receiver::OnRead(size_t bytes) {
  data_end_ = nullptr;
  const ssize_t used = nghttp2_session_mem_recv(link_.session, reinterpret_cast<const uint8_t*>(inbox_), bytes);
  // nghttp2 is in the middle of a frame that it does not ignore only if the last byte was a stream's data.
  if (data_end_ != inbox_ + bytes) frame_left_ = 0;
  if (used < 0) return static_cast<int>(used);
  return nghttp2_session_get_outbound_queue_size(link_.session) > kOutboundFramesMax ? NGHTTP2_ERR_FLOODED : 0;
}

int Receiver::OnBeginFrame(const nghttp2_frame_hd& frame) {
  const bool all_data = frame.type == NGHTTP2_DATA && (frame.flags & NGHTTP2_FLAG_PADDED) == 0;
  frame_stream_ = frame.stream_id;
  frame_left_ = all_data ? frame.length : 0;
  // nghttp2 would store the whole debug data of such a frame.
  if (frame.type == NGHTTP2_GOAWAY && frame.length > kGoawayBytesMax) return NGHTTP2_ERR_CALLBACK_FAILURE;
  if (!Works(frame) && !link_.abuse.OnIdleFrame()) ending_.Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  return 0;
}

bool Receiver::Works(const nghttp2_frame_hd& frame) {
  switch (frame.type) {
    // nghttp2 drops HEADERS of a closed stream.
    case NGHTTP2_HEADERS:
      return frame.stream_id > nghttp2_session_get_last_proc_stream_id(link_.session) ||
             streams_.Find(frame.stream_id) != nullptr;
    // DATA may still be in flight when we end a stream.
    case NGHTTP2_DATA: return frame.length > 0;
    // OnStreamClosed counts these.
    case NGHTTP2_RST_STREAM: return streams_.Find(frame.stream_id) != nullptr;
    default: return false;
  }
}

int Receiver::OnBeginHeaders(const nghttp2_frame& frame) {
  headers_since_ns_ = link_.now_ns;
  const int32_t id = frame.hd.stream_id;
  heading_ = frame.headers.cat == NGHTTP2_HCAT_REQUEST ? &streams_.Begin(id) : streams_.Find(id);
  return 0;
}

int Receiver::OnData(int32_t id, std::span<const std::byte> data) {
  data_end_ = data.data() + data.size();
  frame_left_ -= std::min(frame_left_, data.size());
  Stream* stream = streams_.Find(id);
  const bool kept = stream != nullptr && stream->OnData(data, link_.now_ns);
  const int error = kept ? nghttp2_session_consume_connection(link_.session, data.size())
                         : nghttp2_session_consume(link_.session, id, data.size());
  return error == NGHTTP2_ERR_NOMEM ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

void Receiver::OnHeadersFrame(const nghttp2_frame_hd& frame) {
  headers_since_ns_ = 0;
  const bool end_stream = (frame.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (Stream* stream = std::exchange(heading_, nullptr)) stream->OnHeadersEnd(end_stream);
}

void Receiver::OnDataFrame(const nghttp2_frame_hd& frame) {
  if ((frame.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
  if (Stream* stream = streams_.Find(frame.stream_id)) stream->OnDataEnd();
}

void Receiver::OnStreamClosed(int32_t id) {
  const std::unique_ptr<Stream> stream = streams_.Take(id);
  if (stream == nullptr) return;
  // A stream that has lived for a while is no rapid reset; the stream limit bounds the number of such streams.
  const bool rapid = link_.now_ns - stream->received_ns() < kRapidNs;
  const bool wasted = rapid && !stream->response().answered();
  if (heading_ == stream.get()) heading_ = nullptr;
  link_.active_ns = link_.now_ns;
  if (!link_.abuse.OnStreamClosed(wasted)) ending_.Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
}

}  // namespace inferd::net::http2
