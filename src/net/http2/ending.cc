#include "net/http2/ending.h"

#include <span>

#include "net/body/slice_writer.h"

namespace inferd::net::http2 {

namespace {

uint32_t GoawayCodeOf(int nghttp2_error) {
  switch (nghttp2_error) {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC: return NGHTTP2_PROTOCOL_ERROR;
    case NGHTTP2_ERR_FLOODED:
    case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS: return NGHTTP2_ENHANCE_YOUR_CALM;
    default: return NGHTTP2_INTERNAL_ERROR;
  }
}

void AppendNumber(std::string& out, uint32_t number, int bytes) {
  while (bytes-- > 0) out += static_cast<char>(number >> (8 * bytes) & 0xff);
}

// Makes a GOAWAY frame (RFC 9113, 6.8).
std::string GoawayFrame(int32_t last_stream_id, uint32_t error_code) {
  std::string frame;
  AppendNumber(frame, 8, 3);
  frame += static_cast<char>(NGHTTP2_GOAWAY);
  frame += '\0';
  AppendNumber(frame, 0, 4);
  AppendNumber(frame, static_cast<uint32_t>(last_stream_id), 4);
  AppendNumber(frame, error_code, 4);
  return frame;
}

}  // namespace

void Ending::OnClosed() {
  link_.failed = true;
  closing_ = true;
  streams_.Clear();
}

void Ending::TerminateSaying(uint32_t error_code, std::string_view why) {
  if (std::exchange(dismissed_, true)) return;
  nghttp2_submit_goaway(link_.session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(link_.session),
                        error_code, reinterpret_cast<const uint8_t*>(why.data()), why.size());
}

void Ending::Fail(int nghttp2_error) {
  link_.failed = true;
  last_words_ = GoawayFrame(nghttp2_session_get_last_proc_stream_id(link_.session), GoawayCodeOf(nghttp2_error));
  streams_.Clear();
  Settle();
}

size_t Ending::MoveLastWords(std::vector<base::BufferSlice>& out) {
  const size_t bytes = last_words_.size();
  link_.host.writer().Copy(std::as_bytes(std::span(last_words_)), out);
  last_words_.clear();
  return bytes;
}

void Ending::Settle() {
  if (closing_) return;
  if (!last_words_.empty() || (!link_.failed && nghttp2_session_want_write(link_.session) != 0)) {
    return link_.host.WantWrite();
  }
  // Output that waits for the windows of a peer which has finished sending waits in vain.
  const bool done = link_.failed || dismissed_ || nghttp2_session_want_read(link_.session) == 0 ||
                    (eof_ && (streams_.empty() || IsStuck()));
  if (!done) return;
  closing_ = true;
  link_.host.CloseAfterWrite();
}

}  // namespace inferd::net::http2
