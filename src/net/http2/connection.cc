#include "net/http2/connection.h"

#include <algorithm>
#include <array>
#include <new>

#include "base/clock.h"
#include "base/turn.h"
#include "net/http/net_metrics.h"
#include "net/http2/callbacks.h"

namespace inferd::net::http2 {

namespace {

constexpr int32_t kStreamWindowBytes = 2 << 20;  // so that a tensor of a megabyte need not wait for it to open
constexpr int32_t kConnectionWindowBytes = 4 << 20;
constexpr int64_t kControlFramesBurst = 1000;
constexpr int64_t kControlFramesPerSecond = 100;
constexpr int64_t kControlFramesPerRequest = 4;
constexpr int64_t kResetsBurst = 1000;  // a client may cancel all it has, a few times over
constexpr int64_t kResetsPerSecond = 100;
constexpr size_t kOutboundAcksMax = 4096;              // above what control_frames_ lets through
constexpr size_t kOutboundFramesMax = 5000;            // that wait for a peer which does not read
constexpr int64_t kDrainRoundTripNs = 10'000'000'000;  // for our PING to come back, while the peer is at work
constexpr uint8_t kKeepalivePing[8] = {'a', 'l', 'i', 'v', 'e', '?', 0, 0};
constexpr size_t kEncoderTableBytes = 1024;   // what our few response headers need
constexpr size_t kFrameBytesMin = 16 * 1024;  // that SETTINGS_MAX_FRAME_SIZE allows every peer
constexpr uint32_t kFrameBytesMax = 1 << 20;
constexpr size_t kDirectBytesMin = 32 * 1024;  // less is read with what comes behind it, and copied

struct OptionDeleter {
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};

std::unique_ptr<nghttp2_option, OptionDeleter> MakeOptions(const Limits& limits) {
  nghttp2_option* option = nullptr;
  if (nghttp2_option_new(&option) != 0) throw std::bad_alloc();
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_max_deflate_dynamic_table_size(option, kEncoderTableBytes);
  // It would count every reset, however late. We count them ourselves.
  nghttp2_option_set_stream_reset_rate_limit(option, UINT64_MAX, UINT64_MAX);
  nghttp2_option_set_max_outbound_ack(option, kOutboundAcksMax);
  // As many frames of the default size as the header limit needs, and one for an uneven start.
  nghttp2_option_set_max_continuations(option, limits.header_bytes_max / kFrameBytesMin + 1);
  return std::unique_ptr<nghttp2_option, OptionDeleter>(option);
}

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

// RFC 9113, 6.8.
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

Connection::Connection(SessionHost& host)
    : host_(host),
      now_ns_(base::SystemClock().NowNs()),
      began_ns_(now_ns_),
      active_ns_(now_ns_),
      written_ns_(now_ns_),
      tick_ns_(now_ns_),
      control_frames_(kControlFramesBurst, kControlFramesPerSecond),
      resets_(kResetsBurst, kResetsPerSecond),
      keepalive_(host.limits().http2_keepalive, now_ns_),
      age_(host.limits(), now_ns_) {
  const auto callbacks = Callbacks::Make();
  const auto options = MakeOptions(host.limits());
  if (nghttp2_session_server_new2(&session_, callbacks.get(), this, options.get()) != 0) throw std::bad_alloc();
  const std::array<nghttp2_settings_entry, 5> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, host.limits().http2_streams_max},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindowBytes},
      {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, kFrameBytesMax},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(host.limits().header_bytes_max)},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
  }};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
}

Connection::~Connection() {
  streams_.clear();
  nghttp2_session_del(session_);
}

bool Connection::Upgrade(std::string_view settings, bool head_request) {
  return nghttp2_session_upgrade2(session_, reinterpret_cast<const uint8_t*>(settings.data()), settings.size(),
                                  head_request ? 1 : 0, nullptr) == 0;
}

void Connection::AdoptUpgraded(HttpRequest request) {
  auto stream = std::make_unique<Stream>(*this, 1, now_ns_);
  Stream& adopted = *stream;
  streams_.emplace(1, std::move(stream));
  adopted.Adopt(std::move(request));
}

std::span<std::byte> Connection::PrepareRead() {
  std::span<std::byte> space = FrameSpace();
  if (space.empty()) space = host_.read_space();
  inbox_ = space.data();
  return space;
}

std::span<std::byte> Connection::FrameSpace() {
  if (frame_left_ < kDirectBytesMin || failed_ || closing_ || dismissed_) return {};
  Stream* stream = Find(frame_stream_);
  if (stream == nullptr) return {};
  const std::span<std::byte> space = stream->Space();
  return space.size() < kDirectBytesMin ? std::span<std::byte>() : space.first(std::min(space.size(), frame_left_));
}

void Connection::OnRead(size_t bytes) {
  if (failed_ || closing_ || dismissed_) return;
  now_ns_ = base::SystemClock().NowNs();
  active_ns_ = now_ns_;
  keepalive_.OnRead(now_ns_);
  data_end_ = nullptr;
  const ssize_t used = nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(inbox_), bytes);
  // Only where the last byte was a stream's data does nghttp2 stand in the middle of a frame that it does not ignore.
  if (data_end_ != inbox_ + bytes) frame_left_ = 0;
  if (used < 0) return Fail(static_cast<int>(used));
  if (nghttp2_session_get_outbound_queue_size(session_) > kOutboundFramesMax) return Fail(NGHTTP2_ERR_FLOODED);
  DeliverReady();
  Settle();
}

void Connection::OnEof() {
  if (std::exchange(eof_, true)) return;
  for (const auto& [id, stream] : streams_) {
    if (stream->receiving()) {
      Reset(id, NGHTTP2_CANCEL);
    } else if (!host_.limits().keep_half_closed) {
      stream->TellPeerGone();
    }
  }
  Settle();
}

void Connection::OnClosed() {
  failed_ = true;
  closing_ = true;
  ready_.clear();
  streams_.clear();
}

size_t Connection::TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max) {
  DeliverReady();
  out_ = &out;
  out_room_ = bytes_max;
  size_t taken = 0;
  while (!failed_ && out_room_ > 0) {
    const uint8_t* data = nullptr;
    const ssize_t bytes = nghttp2_session_mem_send(session_, &data);
    if (bytes < 0) {
      Fail(static_cast<int>(bytes));
    } else if (bytes == 0) {
      break;
    } else {
      host_.writer().Copy({reinterpret_cast<const std::byte*>(data), static_cast<size_t>(bytes)}, out);
      out_room_ -= std::min(out_room_, static_cast<size_t>(bytes));
      taken += static_cast<size_t>(bytes);
    }
  }
  taken += std::exchange(data_taken_, 0);
  if (!last_words_.empty()) {
    host_.writer().Copy(std::as_bytes(std::span(last_words_)), out);
    taken += last_words_.size();
    last_words_.clear();
  }
  out_ = nullptr;
  if (unwritten_ == 0) written_ns_ = now_ns_;
  unwritten_ += taken;
  if (out_room_ > 0) Settle();
  return taken;
}

void Connection::OnWritten(size_t bytes) {
  unwritten_ -= bytes;
  written_ns_ = now_ns_;
  if (failed_ || closing_) return;
  DeliverReady();
  Settle();
}

// gRPC's clients take the notice at any time. Of others there are some that fail what is open when it comes, and read
// nothing between two requests: they are told behind a response, unless they keep several requests open or are silent.
void Connection::BeginDrain() {
  if (failed_ || closing_ || ending_ns_ != 0) return;
  announced_ = true;
  ending_ns_ = now_ns_;
  if (grpc_) SubmitNotice();
  Settle();
}

void Connection::EnforceDrain() {
  const int64_t idle_ns = std::chrono::nanoseconds(host_.limits().drain_idle).count();
  if (ping_due_ && now_ns_ - drain_ns_ >= idle_ns) {
    ping_due_ = false;
    SubmitDrainPing();
  }
  if (ending_ns_ != 0 && !draining_) {
    const bool silent = streams_.empty() && now_ns_ - active_ns_ >= idle_ns;
    if (silent || (streams_.size() > 1 && now_ns_ - ending_ns_ >= idle_ns)) SubmitNotice();
  }
  if (MayEnd()) SubmitFinalGoaway();
}

// First "no more, please" that still accepts what is on its way; when the PING behind it comes back, the real one.
void Connection::SubmitNotice() {
  if (std::exchange(draining_, true)) return;
  drain_ns_ = now_ns_;
  nghttp2_submit_shutdown_notice(session_);
}

// Whether a peer that does not answer our PING has had its chance to know: some clients read only while they wait for a
// response, and what such a one sends from now on it finds to be not processed.
bool Connection::MayEnd() const {
  if (!draining_) return false;
  const int64_t idle_ns = std::chrono::nanoseconds(host_.limits().drain_idle).count();
  const bool silent = streams_.empty() && now_ns_ - std::max(drain_ns_, active_ns_) >= idle_ns;
  return silent || now_ns_ - drain_ns_ >= kDrainRoundTripNs;
}

void Connection::SubmitFinalGoaway() {
  if (std::exchange(final_goaway_, true)) return;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                        NGHTTP2_NO_ERROR, nullptr, 0);
}

void Connection::OnTick(int64_t now_ns) {
  if (failed_) return;
  control_frames_.Refill(now_ns - tick_ns_);
  resets_.Refill(now_ns - tick_ns_);
  tick_ns_ = now_ns_ = now_ns;
  const Limits& limits = host_.limits();
  const auto passed = [&](int64_t since_ns, std::chrono::milliseconds limit) {
    return now_ns - since_ns > std::chrono::nanoseconds(limit).count();
  };
  if (unwritten_ > 0 && passed(written_ns_, limits.body_timeout)) return host_.Abort();
  if (closing_) return;
  for (const auto& [id, stream] : streams_) stream->OnTick(now_ns);
  if (!greeted_ && passed(began_ns_, limits.header_timeout)) Terminate(NGHTTP2_SETTINGS_TIMEOUT);
  if (headers_since_ns_ != 0 && passed(headers_since_ns_, limits.header_timeout)) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  if (streams_.empty() && passed(active_ns_, limits.idle_timeout)) Terminate(NGHTTP2_NO_ERROR);
  EnforceDrain();
  EnforceLifetime();
  DeliverReady();
  Settle();
}

void Connection::EnforceLifetime() {
  switch (keepalive_.OnTick(now_ns_, !streams_.empty())) {
    case Keepalive::Due::kNothing: break;
    case Keepalive::Due::kPing: nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, kKeepalivePing); break;
    case Keepalive::Due::kDrop: return host_.Abort();
  }
  switch (age_.OnTick(now_ns_)) {
    case Age::Due::kNothing: break;
    case Age::Due::kDrain: SubmitNotice(); break;
    case Age::Due::kClose: Terminate(NGHTTP2_NO_ERROR); break;
  }
}

void Connection::BeginRequest() {
  ++in_flight_;
  host_.metrics().BeginRequest();
  control_frames_.Credit(kControlFramesPerRequest);
}

void Connection::EndRequest() {
  --in_flight_;
  host_.metrics().EndRequest();
}

void Connection::DeliverReady() {
  while (!ready_.empty() && !failed_ && queued_bytes_ <= static_cast<int64_t>(host_.limits().write_high_water)) {
    const int32_t id = ready_.front();
    ready_.pop_front();
    const base::Turn::More more(base::Turn::Current(), !ready_.empty());
    if (Stream* stream = Find(id); stream != nullptr && stream->ready()) stream->Deliver();
  }
}

void Connection::Settle() {
  if (closing_) return;
  if (!last_words_.empty() || (!failed_ && nghttp2_session_want_write(session_) != 0)) return host_.WantWrite();
  const bool done = failed_ || dismissed_ || nghttp2_session_want_read(session_) == 0 || (eof_ && streams_.empty());
  if (!done) return;
  closing_ = true;
  host_.CloseAfterWrite();
}

void Connection::Terminate(uint32_t error_code) { nghttp2_session_terminate_session(session_, error_code); }

void Connection::TerminateSaying(uint32_t error_code, std::string_view why) {
  if (std::exchange(dismissed_, true)) return;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_), error_code,
                        reinterpret_cast<const uint8_t*>(why.data()), why.size());
}

void Connection::Fail(int nghttp2_error) {
  failed_ = true;
  last_words_ = GoawayFrame(nghttp2_session_get_last_proc_stream_id(session_), GoawayCodeOf(nghttp2_error));
  ready_.clear();
  streams_.clear();
  Settle();
}

}  // namespace inferd::net::http2
