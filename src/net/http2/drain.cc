#include "net/http2/drain.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"

namespace inferd::net::http2 {

namespace {

constexpr int64_t kDrainRoundTripNs = 10'000'000'000;  // time for our PING to return, while the peer is active
constexpr uint8_t kDrainPing[8] = {};

int64_t IdleNs(const Link& link) { return std::chrono::nanoseconds(link.host.limits().drain_idle).count(); }

}  // namespace

// gRPC's clients accept the notice at any time. Some other clients fail open requests when it comes, and read nothing
// between two requests. They are told after a response, unless they keep several requests open or are silent.
bool Drain::Begin() {
  if (begun_ns_ != 0) return false;
  announced_ = true;
  begun_ns_ = link_.now_ns;
  if (link_.grpc) SubmitNotice();
  return true;
}

void Drain::OnTick(size_t streams) {
  const int64_t idle_ns = IdleNs(link_);
  if (ping_due_ && link_.now_ns - notice_ns_ >= idle_ns) {
    ping_due_ = false;
    SubmitPing();
  }
  if (begun_ns_ != 0 && !noticed_) {
    const bool silent = streams == 0 && link_.now_ns - link_.active_ns >= idle_ns;
    if (silent || (streams > 1 && link_.now_ns - begun_ns_ >= idle_ns)) SubmitNotice();
  }
  if (MayEnd(streams)) SubmitFinalGoaway();
}

void Drain::OnPingAck(std::span<const uint8_t> payload) {
  if (noticed_ && std::ranges::equal(payload, kDrainPing)) SubmitFinalGoaway();
}

// nghttp2 would send a PING before a GOAWAY that was submitted first.
void Drain::OnGoawaySent() {
  if (noticed_ && !final_goaway_ && !ping_due_) SubmitPing();
}

// The notice goes out in one write with the response, while no request is open. So a client loses nothing if it takes
// GOAWAY for the end of its requests, or reads only while it waits. Some clients take a PING after GOAWAY for an error,
// and close at once; the PING therefore comes later.
void Drain::OnResponseSent(size_t streams) {
  if (!announced_ || noticed_ || streams > 1) return;
  // The cached time may be old if the loop was blocked since it was read.
  link_.now_ns = std::max(link_.now_ns, base::SystemClock().NowNs());
  ping_due_ = !link_.grpc;
  SubmitNotice();
}

// First sends a notice that still accepts requests in flight. When the PING after it returns, the final GOAWAY is sent.
void Drain::SubmitNotice() {
  if (std::exchange(noticed_, true)) return;
  notice_ns_ = link_.now_ns;
  nghttp2_submit_shutdown_notice(link_.session);
}

void Drain::SubmitPing() { nghttp2_submit_ping(link_.session, NGHTTP2_FLAG_NONE, kDrainPing); }

// Returns true if a peer that does not answer our PING had time to notice the drain. Some clients read only while they
// wait for a response; they then find that their later requests were not processed.
bool Drain::MayEnd(size_t streams) const {
  if (!noticed_) return false;
  const bool silent = streams == 0 && link_.now_ns - std::max(notice_ns_, link_.active_ns) >= IdleNs(link_);
  return silent || link_.now_ns - notice_ns_ >= kDrainRoundTripNs;
}

void Drain::SubmitFinalGoaway() {
  if (std::exchange(final_goaway_, true)) return;
  nghttp2_submit_goaway(link_.session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(link_.session),
                        NGHTTP2_NO_ERROR, nullptr, 0);
}

}  // namespace inferd::net::http2
