#include "net/http2/keepalive.h"

#include <chrono>
#include <utility>

namespace inferd::net::http2 {

namespace {

constexpr std::chrono::hours kIdlePingInterval{2};
constexpr int64_t kJitterParts = 10;  // one tenth, plus or minus
constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;

int64_t NsOf(std::chrono::nanoseconds duration) { return duration.count(); }

}  // namespace

bool Keepalive::OnPing(int64_t now_ns, bool has_streams) {
  const bool in_order = has_streams || limits_.ping_without_calls;
  const int64_t interval_ns = in_order ? NsOf(limits_.client_ping_interval_min) : NsOf(kIdlePingInterval);
  const int64_t last_ns = std::exchange(peer_pinged_ns_, now_ns);
  if (last_ns == 0 || now_ns - last_ns >= interval_ns) return true;
  ++strikes_;
  return limits_.client_ping_strikes_max == 0 || strikes_ <= limits_.client_ping_strikes_max;
}

Keepalive::Due Keepalive::OnTick(int64_t now_ns, bool has_streams) {
  if (pinged_ns_ != 0) return now_ns - pinged_ns_ > NsOf(limits_.ping_timeout) ? Due::kDrop : Due::kNothing;
  if (now_ns - heard_ns_ < NsOf(limits_.ping_every) || !(has_streams || limits_.ping_without_calls)) {
    return Due::kNothing;
  }
  if (limits_.pings_without_data_max != 0 && pings_without_data_ >= limits_.pings_without_data_max) {
    return Due::kNothing;
  }
  ++pings_without_data_;
  pinged_ns_ = now_ns;
  return Due::kPing;
}

Age::Age(const Limits& limits, int64_t now_ns) : drain_ns_(0), grace_ns_(NsOf(limits.http2_age_grace)) {
  const int64_t age_ns = NsOf(limits.http2_age_max);
  if (age_ns == 0) return;
  // Connections that were made together must not all reconnect together.
  const uint64_t spread = static_cast<uint64_t>(now_ns) * kGoldenRatio >> 32;
  const int64_t jitter_ns = age_ns / kJitterParts;
  drain_ns_ = now_ns + age_ns - jitter_ns + static_cast<int64_t>(spread % static_cast<uint64_t>(2 * jitter_ns + 1));
}

Age::Due Age::OnTick(int64_t now_ns) {
  if (drain_ns_ != 0 && now_ns >= drain_ns_) {
    drain_ns_ = 0;
    if (grace_ns_ > 0) close_ns_ = now_ns + grace_ns_;
    return Due::kDrain;
  }
  return close_ns_ != 0 && now_ns >= close_ns_ ? Due::kClose : Due::kNothing;
}

}  // namespace inferd::net::http2
