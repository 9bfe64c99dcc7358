#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctl/bench/load/load_protocol.h"
#include "net/client/url.h"

namespace inferd::ctl {

// A gRPC method and its encoded request message.
struct GrpcCall {
  std::string path{};     // "/inference.GRPCInferenceService/ModelInfer"
  std::string message{};  // without gRPC's length prefix
  std::vector<std::pair<std::string, std::string>> metadata{};
  // True if all calls use one bidirectional stream per connection: each message is a call, and `answers` messages
  // answer it, in order. Otherwise each call is unary, on a stream of its own.
  bool stream = false;
  size_t answers = 1;
  size_t answer_bytes = 0;  // expected size of a response message; 0 for any
};

// Returns the body of a unary call: the message after gRPC's length prefix, not compressed.
std::string GrpcFrame(std::string_view message);

// Repeats `call` over HTTP/2 with prior knowledge, without compression. A unary call succeeds with one message and
// grpc-status 0 in the trailers. A streaming call succeeds with its messages; the end of the stream breaks the
// connection.
LoadProtocolFactory GrpcLoad(const net::Url& url, GrpcCall call);

}  // namespace inferd::ctl
