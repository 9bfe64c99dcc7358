#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace inferd::config {

// How much time is spent on making responses smaller, for clients that accept it.
enum class GrpcCompressionLevel { kNone, kLow, kMedium, kHigh };

// HTTP/2 pings in both directions, and how long a connection may last.
struct GrpcKeepaliveOptions {
  std::chrono::milliseconds ping_every{7'200'000};  // without a byte from the client
  std::chrono::milliseconds ping_timeout{20'000};   // for the answer; then the connection is closed
  bool ping_without_calls = false;
  uint32_t pings_without_data_max = 2;                          // ours in a row; 0: any number
  std::chrono::milliseconds client_ping_interval_min{300'000};  // clients that ping more often without a call ...
  uint32_t client_ping_strikes_max = 2;                         // ... so many times are sent away; 0: never
  std::chrono::milliseconds connection_age_max{0};              // then clients are told to connect anew; 0: never
  std::chrono::milliseconds connection_age_grace{0};            // and calls in flight may take so long; 0: any time
};

// How much later steps of Predict V2's inferences are taken, for tests of clients that set them by the environment
// (PersonalityVariable); 0: at once.
struct GrpcDelays {
  std::chrono::milliseconds call{0};           // a unary call is taken up, unless its client has gone by then
  std::chrono::milliseconds answer{0};         // a unary success is sent
  std::chrono::milliseconds notice{0};         // a unary call notices that its client has gone
  std::chrono::milliseconds response{0};       // a stream sends each of its responses, one after the other
  std::chrono::milliseconds last_response{0};  // a stream takes the last response to a request
};

// How gRPC calls are answered, on whatever port they come.
struct GrpcOptions {
  bool on_http_port = true;    // gRPC and gRPC-Web on HTTP's port as well
  bool typed_outputs = false;  // outputs in `contents` where requests do not say
  GrpcCompressionLevel response_compression = GrpcCompressionLevel::kNone;
  uint64_t message_bytes_max = uint64_t{1} << 30;  // as sent and decompressed
  std::string web_allow_origin;                    // of pages that may call by gRPC-Web; "*": any; empty: none
  GrpcKeepaliveOptions keepalive;
  GrpcDelays delays;
};

}  // namespace inferd::config
