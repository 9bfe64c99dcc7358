#include "net/http2/sender.h"

#include <algorithm>
#include <utility>

#include "net/body/slice_writer.h"

namespace inferd::net::http2 {

namespace {

constexpr size_t kFrameHeaderBytes = 9;

}  // namespace

size_t Sender::TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max) {
  streams_.DeliverReady();
  out_ = &out;
  out_room_ = bytes_max;
  size_t taken = 0;
  while (!link_.failed && out_room_ > 0) {
    const uint8_t* data = nullptr;
    const ssize_t bytes = nghttp2_session_mem_send(link_.session, &data);
    if (bytes < 0) {
      ending_.Fail(static_cast<int>(bytes));
    } else if (bytes == 0) {
      break;
    } else {
      link_.host.writer().Copy({reinterpret_cast<const std::byte*>(data), static_cast<size_t>(bytes)}, out);
      out_room_ -= std::min(out_room_, static_cast<size_t>(bytes));
      taken += static_cast<size_t>(bytes);
    }
  }
  taken += std::exchange(data_taken_, 0);
  taken += ending_.TakeLastWords(out);
  out_ = nullptr;
  if (unwritten_ == 0) written_ns_ = link_.now_ns;
  unwritten_ += taken;
  if (out_room_ > 0) ending_.Settle();
  return taken;
}

void Sender::OnWritten(size_t bytes) {
  unwritten_ -= bytes;
  written_ns_ = link_.now_ns;
  if (ending_.over()) return;
  streams_.DeliverReady();
  ending_.Settle();
}

ssize_t Sender::ReadBody(int32_t id, size_t bytes_max, uint32_t& flags) {
  Stream* stream = streams_.Find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  StreamResponse& response = stream->response();
  bool ends = false;
  const int64_t bytes = response.ReadyBytes(bytes_max, ends);
  if (bytes < 0) return NGHTTP2_ERR_DEFERRED;
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (!ends) return bytes;
  flags |= NGHTTP2_DATA_FLAG_EOF;
  if (response.trailers().empty()) return bytes;
  flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
  outbound_.SubmitTrailers(id, response.trailers());
  return bytes;
}

int Sender::SendData(int32_t id, const nghttp2_frame& frame, const uint8_t* header, size_t bytes) {
  Stream* stream = streams_.Find(id);
  if (stream == nullptr || out_ == nullptr || frame.data.padlen > 0) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  link_.host.writer().Copy({reinterpret_cast<const std::byte*>(header), kFrameHeaderBytes}, *out_);
  stream->response().TakeBody(bytes, link_.host.writer(), *out_, link_.now_ns);
  data_taken_ += kFrameHeaderBytes + bytes;
  out_room_ -= std::min(out_room_, kFrameHeaderBytes + bytes);
  return out_room_ == 0 ? NGHTTP2_ERR_PAUSE : 0;
}

}  // namespace inferd::net::http2
