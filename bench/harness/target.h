#pragma once

#include <optional>
#include <string>

namespace inferd::bench {

// How requests travel. Predict V2: HTTP with JSON or binary tensors; gRPC with raw contents, unary or on one long
// stream. TensorFlow Serving's Predict: REST in columns, in rows of numbers with a fraction or of whole ones, gRPC with
// tensor_content. The TensorRT Inference Server's of 2018: HTTP and gRPC. KServe V1: rows of numbers with a fraction,
// plain or as a CloudEvent.
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

// A server to send load to, and the process whose CPU time it costs; 0: unknown.
struct Target {
  std::string url;
  int pid = 0;
};

// What is measured, and the servers that do nothing beside it. Empty: there is none.
struct Targets {
  Target http;
  std::optional<Target> grpc;
  std::optional<Target> http_floor;
  std::optional<Target> library_floor;
  std::optional<Target> grpc_floor;
};

}  // namespace inferd::bench
