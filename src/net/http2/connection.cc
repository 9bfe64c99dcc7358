#include "net/http2/connection.h"

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "net/http2/callbacks.h"

namespace inferd::net::http2 {

namespace {

constexpr uint8_t kKeepalivePing[8] = {'a', 'l', 'i', 'v', 'e', '?', 0, 0};

}  // namespace

Connection::Connection(SessionHost& host)
    : link_(host, *Callbacks::Make(), this),
      context_(link_, Callbacks::BodySource()),
      streams_(context_),
      ending_(link_, streams_, context_.requests),
      receiver_(link_, streams_, ending_),
      sender_(link_, streams_, context_.outbound, ending_),
      drain_(link_),
      keepalive_(host.limits().http2_keepalive, link_.now_ns),
      age_(host.limits(), link_.now_ns),
      began_ns_(link_.now_ns) {}

bool Connection::Upgrade(std::string_view settings, bool head_request) {
  return nghttp2_session_upgrade2(link_.session, reinterpret_cast<const uint8_t*>(settings.data()), settings.size(),
                                  head_request ? 1 : 0, nullptr) == 0;
}

void Connection::AdoptUpgraded(HttpRequest request) { streams_.Begin(1).Adopt(std::move(request)); }

void Connection::OnRead(size_t bytes) {
  if (ending_.deaf()) return;
  link_.now_ns = base::SystemClock().NowNs();
  link_.active_ns = link_.now_ns;
  keepalive_.OnRead(link_.now_ns);
  if (const int error = receiver_.OnRead(bytes); error != 0) return ending_.Fail(error);
  streams_.DeliverReady();
  ending_.Settle();
}

void Connection::OnEof() {
  if (!ending_.OnEof()) return;
  for (const auto& [id, stream] : streams_) {
    if (stream->receiving()) {
      context_.outbound.Reset(id, NGHTTP2_CANCEL);
    } else if (!link_.host.limits().keep_half_closed) {
      stream->response().TellPeerGone();
    }
  }
  ending_.Settle();
}

void Connection::BeginDrain() {
  if (!ending_.over() && drain_.Begin()) ending_.Settle();
}

void Connection::OnTick(int64_t now_ns) {
  if (link_.failed) return;
  link_.abuse.OnTick(now_ns);
  link_.now_ns = now_ns;
  const Limits& limits = link_.host.limits();
  const auto passed = [&](int64_t since_ns, std::chrono::milliseconds limit) {
    return now_ns - since_ns > std::chrono::nanoseconds(limit).count();
  };
  if (sender_.unwritten() > 0 && passed(sender_.written_ns(), limits.body_timeout)) return link_.host.Abort();
  if (ending_.closing()) return;
  for (const auto& [id, stream] : streams_) stream->OnTick(now_ns);
  if (!greeted_ && passed(began_ns_, limits.header_timeout)) ending_.Terminate(NGHTTP2_SETTINGS_TIMEOUT);
  const int64_t headers_since_ns = receiver_.headers_since_ns();
  if (headers_since_ns != 0 && passed(headers_since_ns, limits.header_timeout)) {
    ending_.Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  }
  if (streams_.empty() && passed(link_.active_ns, limits.idle_timeout)) ending_.Terminate(NGHTTP2_NO_ERROR);
  drain_.OnTick(streams_.size());
  EnforceLifetime();
  streams_.DeliverReady();
  ending_.Settle();
}

void Connection::EnforceLifetime() {
  switch (keepalive_.OnTick(link_.now_ns, !streams_.empty())) {
    case Keepalive::Due::kNothing: break;
    case Keepalive::Due::kPing: nghttp2_submit_ping(link_.session, NGHTTP2_FLAG_NONE, kKeepalivePing); break;
    case Keepalive::Due::kDrop: return link_.host.Abort();
  }
  switch (age_.OnTick(link_.now_ns)) {
    case Age::Due::kNothing: break;
    case Age::Due::kDrain: drain_.SubmitNotice(); break;
    case Age::Due::kClose: ending_.Terminate(NGHTTP2_NO_ERROR); break;
  }
}

void Connection::OnFrame(const nghttp2_frame& frame) {
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS: receiver_.OnHeadersFrame(frame.hd); break;
    case NGHTTP2_DATA: receiver_.OnDataFrame(frame.hd); break;
    case NGHTTP2_SETTINGS: greeted_ = greeted_ || (frame.hd.flags & NGHTTP2_FLAG_ACK) == 0; break;
    case NGHTTP2_PING: OnPing(frame); break;
    default: break;
  }
}

void Connection::OnPing(const nghttp2_frame& frame) {
  if ((frame.hd.flags & NGHTTP2_FLAG_ACK) != 0) {
    drain_.OnPingAck(frame.ping.opaque_data);
  } else if (link_.grpc && !keepalive_.OnPing(link_.now_ns, !streams_.empty())) {
    ending_.TerminateSaying(NGHTTP2_ENHANCE_YOUR_CALM, "too_many_pings");  // gRPC clients recognize this text
  }
}

void Connection::OnFrameSent(const nghttp2_frame& frame) {
  if (frame.hd.type == NGHTTP2_DATA) link_.abuse.OnDataSent(frame.hd.length);
  if (frame.hd.type == NGHTTP2_GOAWAY) drain_.OnGoawaySent();
  if (frame.hd.type == NGHTTP2_WINDOW_UPDATE) keepalive_.OnWindowUpdateSent();
  const bool works = frame.hd.type == NGHTTP2_DATA || frame.hd.type == NGHTTP2_HEADERS;
  if (works) keepalive_.OnSent();
  if (!works || (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
  drain_.OnResponseSent(streams_.size());
  // The response precedes the end of the request: the peer need not send the rest (RFC 9113, 8.1).
  const int32_t id = frame.hd.stream_id;
  if (nghttp2_session_get_stream_remote_close(link_.session, id) == 0) context_.outbound.Reset(id, NGHTTP2_NO_ERROR);
}

}  // namespace inferd::net::http2
