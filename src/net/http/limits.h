#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace inferd::net {

// PINGs on HTTP/2 connections, with the words and defaults that gRPC servers have for them
// (https://github.com/grpc/grpc/blob/master/doc/keepalive.md). Ours are sent on every connection; the peer's are held
// to the interval only once it has sent a gRPC request, since browsers, curl and proxies ping as they like (floods of
// control frames are refused from all).
struct Http2Keepalive {
  std::chrono::milliseconds ping_every{7'200'000};              // we ping a peer that has been silent so long
  std::chrono::milliseconds ping_timeout{20'000};               // to answer our PING; else the connection is dropped
  bool ping_without_calls = false;                              // both ways: pings are in order while no stream is open
  std::chrono::milliseconds client_ping_interval_min{300'000};  // a sooner one is a strike; 2 h where none is in order
  uint32_t client_ping_strikes_max = 2;  // above, GOAWAY with ENHANCE_YOUR_CALM, "too_many_pings"; 0: no limit
  uint32_t pings_without_data_max = 2;   // of ours, until we next send HEADERS or DATA; 0: no limit
};

// What a peer may ask of the server (design, "Default limits"). Each is a server option; each has its own error.
struct Limits {
  size_t header_bytes_max = 128 * 1024;              // 431
  size_t header_count_max = 256;                     // 431
  size_t target_bytes_max = 8 * 1024;                // 414
  uint64_t body_bytes_max = uint64_t{1} << 30;       // 413
  std::chrono::milliseconds header_timeout{10'000};  // 408
  std::chrono::milliseconds idle_timeout{75'000};    // closed silently
  std::chrono::milliseconds drain_idle{1'000};       // the same while the server drains, if shorter
  std::chrono::milliseconds body_timeout{30'000};    // without progress: 408
  size_t connections_max = 10'000;                   // accepted, then 503 and closed; see ConnectionKind
  size_t connections_reserved = 64;                  // of each other kind
  size_t connections_per_loop = 8;                   // before the next loop is used; see ChooseLoop
  std::chrono::milliseconds loop_held_after{100};    // in one turn; then it gets no new connection
  uint64_t body_bytes_in_flight_max = 0;             // all loops together; 0: 25 % of memory; 503 with Retry-After
  size_t write_high_water = 1 << 20;                 // per connection: above, reading stops
  uint32_t http2_streams_max = 256;                  // SETTINGS_MAX_CONCURRENT_STREAMS
  Http2Keepalive http2_keepalive = {};
  std::chrono::milliseconds http2_age_max{0};    // give or take 10 %; then GOAWAY, and its streams may end; 0: none
  std::chrono::milliseconds http2_age_grace{0};  // for them to end; then it is closed; 0: as long as they take
  bool keep_half_closed = false;                 // answer queued work of a peer that has sent FIN
};

}  // namespace inferd::net
