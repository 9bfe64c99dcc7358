#pragma once

#include <optional>
#include <string>

namespace inferd::bench {

// A protocol with a form of its tensors. Predict V2: HTTP with JSON or binary tensors; gRPC with raw contents, unary or
// on one long stream. TensorFlow Serving's Predict: REST in columns, in rows of fractions or in rows of whole numbers;
// gRPC with tensor_content. The TensorRT Inference Server of 2018: HTTP and gRPC. KServe V1: rows of fractions, plain
// or as a CloudEvent.
enum class Wire {
  kJson,
  kBinary,
  kGrpc,
  kStream,
  kPredict,
  kPredictReals,
  kPredictWholes,
  kPredictGrpc,
  kTrtis,
  kTrtisGrpc,
  kKserve,
  kKserveEvent
};

const char* WireName(Wire wire);
inline bool IsGrpc(Wire wire) {
  return wire == Wire::kGrpc || wire == Wire::kStream || wire == Wire::kPredictGrpc || wire == Wire::kTrtisGrpc;
}

inline bool IsKserve(Wire wire) { return wire == Wire::kKserve || wire == Wire::kKserveEvent; }

// A server to send load to, and the process whose CPU time is measured. `pid` is 0 if it is unknown.
struct Target {
  std::string url;
  int pid = 0;
};

// The measured server, and its floors, which do nothing. An optional target is empty if it was not started.
struct Targets {
  Target http;
  std::optional<Target> grpc;
  std::optional<Target> http_floor;
  std::optional<Target> library_floor;
  std::optional<Target> grpc_floor;
};

}  // namespace inferd::bench
