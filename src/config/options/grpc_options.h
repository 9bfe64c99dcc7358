#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace inferd::config {

// The effort for compressing responses, for clients that accept compression.
enum class GrpcCompressionLevel { kNone, kLow, kMedium, kHigh };

// HTTP/2 pings in both directions, and the lifetime of a connection.
struct GrpcKeepaliveOptions {
  std::chrono::milliseconds ping_every{7'200'000};  // after this time without a byte from the client
  std::chrono::milliseconds ping_timeout{20'000};   // time to answer; then the connection is closed
  bool ping_without_calls = false;
  uint32_t pings_without_data_max = 2;                          // our pings in a row; 0 for any number
  std::chrono::milliseconds client_ping_interval_min{300'000};  // clients that ping more often without a call ...
  uint32_t client_ping_strikes_max = 2;                         // ... this many times are disconnected; 0 for never
  std::chrono::milliseconds connection_age_max{0};              // then clients are told to reconnect; 0 for never
  std::chrono::milliseconds connection_age_grace{0};            // time limit for calls in flight then; 0 for none
};

// Delays of steps of Predict V2's inferences, for tests of clients that set them by the environment
// (PersonalityVariable). 0 for no delay.
struct GrpcDelays {
  std::chrono::milliseconds call{0};           // before a unary call is started, unless its client has gone by then
  std::chrono::milliseconds answer{0};         // before a unary success is sent
  std::chrono::milliseconds notice{0};         // before a unary call notices that its client has gone
  std::chrono::milliseconds response{0};       // before a stream sends each of its responses, one after the other
  std::chrono::milliseconds last_response{0};  // before a stream accepts the last response to a request
  std::chrono::milliseconds control{0};        // before a call that is not an inference is started
};

// Options of gRPC calls, on any port.
struct GrpcOptions {
  bool on_http_port = true;    // gRPC and gRPC-Web on HTTP's port as well
  bool typed_outputs = false;  // outputs in `contents` if requests do not say
  GrpcCompressionLevel response_compression = GrpcCompressionLevel::kNone;
  uint64_t message_bytes_max = uint64_t{1} << 30;  // as sent and decompressed
  std::string web_allow_origin;                    // of pages that may call by gRPC-Web; "*" for any; empty for none
  GrpcKeepaliveOptions keepalive;
  GrpcDelays delays;
};

}  // namespace inferd::config
