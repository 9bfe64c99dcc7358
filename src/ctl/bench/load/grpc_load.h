#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctl/bench/load/load_protocol.h"
#include "net/client/url.h"

namespace inferd::ctl {

// A gRPC method and what it is called with. The message is bytes: the caller encodes it.
struct GrpcCall {
  std::string path{};     // "/inference.GRPCInferenceService/ModelInfer"
  std::string message{};  // without gRPC's prefix
  std::vector<std::pair<std::string, std::string>> metadata{};
  // One bidirectional stream for as long as the connection lasts; each message is a call, answered by `answers`
  // messages, in order. Else each call is unary, on a stream of its own.
  bool stream = false;
  size_t answers = 1;
  size_t answer_bytes = 0;  // a message of another size is an error; 0: any
};

// A message behind gRPC's prefix, not compressed: what a unary call's body is.
std::string GrpcFrame(std::string_view message);

// `call` over and over, over HTTP/2 with prior knowledge and without compression. Success: one message, and for a unary
// call grpc-status 0 in its trailers. A stream that ends breaks the connection.
LoadProtocolFactory GrpcLoad(const net::Url& url, GrpcCall call);

}  // namespace inferd::ctl
