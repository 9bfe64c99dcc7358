#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace inferd::config {

enum class TraceMode { kFile, kOtlp };
enum class TraceLevel { kOff, kTimestamps, kTensors, kAll };

// Which requests are traced, how, and where the traces go. What a call changes while the server runs begins here.
struct TraceOptions {
  TraceMode mode = TraceMode::kFile;
  TraceLevel level = TraceLevel::kOff;
  uint32_t rate = 1000;        // one of so many requests; 0: none but those with a traceparent, in OTLP
  int64_t count = -1;          // so many in all; -1: without limit
  std::string file = {};       // of the mode kFile
  uint32_t log_frequency = 0;  // traces of a file, which then has a number; 0: one file
  std::string otlp_url = "http://localhost:4318/v1/traces";
  std::vector<std::string> otlp_resource = {};  // KEY=VALUE
  uint32_t otlp_queue_max = 2048;               // spans' requests that wait; more are dropped, and counted
  std::chrono::milliseconds otlp_delay{5000};   // between two exports
  uint32_t otlp_batch_max = 512;                // requests of an export
};

}  // namespace inferd::config
