#include "net/http2/stream/link.h"

#include <array>
#include <memory>
#include <new>

#include "base/clock.h"

namespace inferd::net::http2 {

namespace {

constexpr int32_t kStreamWindowBytes = 2 << 20;  // so that a tensor of a megabyte need not wait for the window
constexpr int32_t kConnectionWindowBytes = 4 << 20;
constexpr size_t kOutboundAcksMax = 4096;     // above AbuseGuard's limit
constexpr size_t kEncoderTableBytes = 1024;   // enough for our few response headers
constexpr size_t kFrameBytesMin = 16 * 1024;  // which SETTINGS_MAX_FRAME_SIZE allows every peer
constexpr uint32_t kFrameBytesMax = 1 << 20;

struct OptionDeleter {
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};

std::unique_ptr<nghttp2_option, OptionDeleter> MakeOptions(const Limits& limits) {
  nghttp2_option* option = nullptr;
  if (nghttp2_option_new(&option) != 0) throw std::bad_alloc();
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_max_deflate_dynamic_table_size(option, kEncoderTableBytes);
  // gRPC's clients may write metadata with surrounding white space; OnField removes it.
  nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1);
  // nghttp2 would count every reset, however late. We count resets ourselves.
  nghttp2_option_set_stream_reset_rate_limit(option, UINT64_MAX, UINT64_MAX);
  nghttp2_option_set_max_outbound_ack(option, kOutboundAcksMax);
  // As many frames of the default size as the header limit needs, plus one for an uneven start.
  nghttp2_option_set_max_continuations(option, limits.header_bytes_max / kFrameBytesMin + 1);
  return std::unique_ptr<nghttp2_option, OptionDeleter>(option);
}

}  // namespace

Link::Link(SessionHost& session_host, const nghttp2_session_callbacks& callbacks, void* user)
    : host(session_host), now_ns(base::SystemClock().NowNs()), active_ns(now_ns), abuse(now_ns) {
  const auto options = MakeOptions(host.limits());
  if (nghttp2_session_server_new2(&session, &callbacks, user, options.get()) != 0) throw std::bad_alloc();
  const std::array<nghttp2_settings_entry, 5> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, host.limits().http2_streams_max},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindowBytes},
      {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, kFrameBytesMax},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(host.limits().header_bytes_max)},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
  }};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
}

}  // namespace inferd::net::http2
