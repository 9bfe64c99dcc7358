#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace inferd::net {

// PINGs on HTTP/2 connections, with the names and defaults of gRPC servers
// (https://github.com/grpc/grpc/blob/master/doc/keepalive.md). We send PINGs on every connection. The limits on the
// peer's PINGs apply only once it has sent a gRPC request, since browsers, curl and proxies ping as they like. (Floods
// of control frames are refused from all peers.)
struct Http2Keepalive {
  std::chrono::milliseconds ping_every{7'200'000};  // interval of our PINGs to a silent peer
  std::chrono::milliseconds ping_timeout{20'000};   // time to answer our PING; then the connection is dropped
  bool ping_without_calls = false;                  // for both sides: PINGs are allowed while no stream is open
  // A sooner PING is a strike; 2 h while no PING is allowed
  std::chrono::milliseconds client_ping_interval_min{300'000};
  uint32_t client_ping_strikes_max = 2;  // above, GOAWAY with ENHANCE_YOUR_CALM, "too_many_pings"; no limit if 0
  uint32_t pings_without_data_max = 2;   // our PINGs before we must send HEADERS or DATA again; no limit if 0
};

// The limits on what a peer may use (design, "Default limits"). Each is a server option; each has its own error.
struct Limits {
  size_t header_bytes_max = 128 * 1024;              // 431
  size_t header_count_max = 256;                     // 431
  size_t target_bytes_max = 8 * 1024;                // 414
  uint64_t body_bytes_max = uint64_t{1} << 30;       // 413
  std::chrono::milliseconds header_timeout{10'000};  // 408
  std::chrono::milliseconds idle_timeout{75'000};    // closed silently
  std::chrono::milliseconds drain_idle{1'000};       // replaces idle_timeout while the server drains, if shorter
  std::chrono::milliseconds body_timeout{30'000};    // without progress: 408
  size_t connections_max = 10'000;                   // accepted, then 503 and closed; see ConnectionKind
  size_t connections_reserved = 64;                  // for each other kind
  size_t connections_per_loop = 8;                   // before the next loop is used; see ChooseLoop
  std::chrono::milliseconds loop_held_after{100};    // in one turn; then the loop gets no new connections
  uint64_t body_bytes_in_flight_max = 0;             // on all loops together; 25 % of memory if 0; 503 with Retry-After
  size_t write_high_water = 1 << 20;                 // per connection: above, reading stops
  uint32_t http2_streams_max = 256;                  // SETTINGS_MAX_CONCURRENT_STREAMS
  Http2Keepalive http2_keepalive = {};
  std::chrono::milliseconds http2_age_max{0};    // plus or minus 10 %; then GOAWAY, and streams may end; 0 for no limit
  std::chrono::milliseconds http2_age_grace{0};  // time for these streams to end, then closed; 0 for no limit
  bool keep_half_closed = false;                 // answer queued requests of a peer that has sent FIN
};

}  // namespace inferd::net
