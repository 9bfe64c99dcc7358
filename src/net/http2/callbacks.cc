#include "net/http2/callbacks.h"

#include <string_view>

#include "net/http2/connection.h"

namespace inferd::net::http2 {

namespace {

std::string_view ViewOf(nghttp2_rcbuf* buffer) {
  const nghttp2_vec vec = nghttp2_rcbuf_get_buf(buffer);
  return {reinterpret_cast<const char*>(vec.base), vec.len};
}

// Runs `body` for the connection. No exception may pass through C code.
template <typename F>
auto Guarded(void* user, F body) -> decltype(body(*static_cast<Connection*>(user))) {
  try {
    return body(*static_cast<Connection*>(user));
  } catch (...) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

}  // namespace

std::unique_ptr<nghttp2_session_callbacks, Callbacks::Deleter> Callbacks::Make() {
  nghttp2_session_callbacks* raw = nullptr;
  if (nghttp2_session_callbacks_new(&raw) != 0) throw std::bad_alloc();
  std::unique_ptr<nghttp2_session_callbacks, Deleter> callbacks(raw);
  nghttp2_session_callbacks_set_on_begin_frame_callback(
      raw, [](nghttp2_session*, const nghttp2_frame_hd* frame, void* user) {
        return Guarded(user, [&](Connection& c) { return c.receiver_.OnBeginFrame(*frame); });
      });
  nghttp2_session_callbacks_set_on_begin_headers_callback(
      raw, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
        return Guarded(user, [&](Connection& c) { return c.receiver_.OnBeginHeaders(*frame); });
      });
  nghttp2_session_callbacks_set_on_header_callback2(
      raw, [](nghttp2_session*, const nghttp2_frame*, nghttp2_rcbuf* name, nghttp2_rcbuf* value, uint8_t, void* user) {
        return Guarded(user, [&](Connection& c) { return c.receiver_.OnField(ViewOf(name), ViewOf(value)), 0; });
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      raw, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* user) {
        return Guarded(user, [&](Connection& c) {
          return c.receiver_.OnData(id, {reinterpret_cast<const std::byte*>(data), size});
        });
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      raw, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
        return Guarded(user, [&](Connection& c) { return c.OnFrame(*frame), 0; });
      });
  nghttp2_session_callbacks_set_on_frame_send_callback(
      raw, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
        return Guarded(user, [&](Connection& c) { return c.OnFrameSent(*frame), 0; });
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(raw, [](nghttp2_session*, int32_t id, uint32_t, void* user) {
    return Guarded(user, [&](Connection& c) { return c.receiver_.OnStreamClosed(id), 0; });
  });
  nghttp2_session_callbacks_set_send_data_callback(raw, [](nghttp2_session*, nghttp2_frame* frame,
                                                           const uint8_t* header, size_t bytes, nghttp2_data_source*,
                                                           void* user) {
    return Guarded(user, [&](Connection& c) { return c.sender_.SendData(frame->hd.stream_id, *frame, header, bytes); });
  });
  return callbacks;
}

nghttp2_data_provider Callbacks::BodySource() {
  return {.source = {.ptr = nullptr},
          .read_callback = [](nghttp2_session*, int32_t id, uint8_t*, size_t bytes_max, uint32_t* flags,
                              nghttp2_data_source*, void* user) -> ssize_t {
            return Guarded(user, [&](Connection& c) { return c.sender_.ReadBody(id, bytes_max, *flags); });
          }};
}

}  // namespace inferd::net::http2
