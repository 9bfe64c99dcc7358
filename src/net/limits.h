#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace inferd::net {

// What a peer may ask of the server (design, "Default limits"). Each is a server option; each has its own error.
struct Limits {
  size_t header_bytes_max = 128 * 1024;             // 431
  size_t header_count_max = 256;                    // 431
  size_t target_bytes_max = 8 * 1024;               // 414
  uint64_t body_bytes_max = uint64_t{1} << 30;      // 413
  std::chrono::milliseconds header_timeout{10'000}; // 408
  std::chrono::milliseconds idle_timeout{75'000};   // closed silently
  std::chrono::milliseconds body_timeout{30'000};   // without progress: 408
  size_t connections_max = 10'000;                  // accepted, then 503 and closed
  uint64_t body_bytes_in_flight_max = 0;            // all loops together; 0: 25 % of memory; 503 with Retry-After
  size_t write_high_water = 1 << 20;                // per connection: above, reading stops
  uint32_t http2_streams_max = 256;                 // SETTINGS_MAX_CONCURRENT_STREAMS
  bool keep_half_closed = false;                    // answer queued work of a peer that has sent FIN
};

}  // namespace inferd::net
