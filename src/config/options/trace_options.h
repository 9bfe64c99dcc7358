#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace inferd::config {

enum class TraceMode { kFile, kOtlp };
enum class TraceLevel { kOff, kTimestamps, kTensors, kAll };

// The selection, format and destination of traces. The fields that a call can change while the server runs come first.
struct TraceOptions {
  TraceMode mode = TraceMode::kFile;
  TraceLevel level = TraceLevel::kOff;
  uint32_t rate = 1000;        // one of this many requests; 0 for none except those with a traceparent, in OTLP
  int64_t count = -1;          // total number; -1 for no limit
  std::string file = {};       // for mode kFile
  uint32_t log_frequency = 0;  // traces per file, which then has a number; 0 for one file
  std::string otlp_url = "http://localhost:4318/v1/traces";
  std::vector<std::string> otlp_resource = {};  // KEY=VALUE
  uint32_t otlp_queue_max = 2048;               // waiting requests' spans; more are dropped and counted
  std::chrono::milliseconds otlp_delay{5000};   // between two exports
  uint32_t otlp_batch_max = 512;                // requests of an export
};

}  // namespace inferd::config
