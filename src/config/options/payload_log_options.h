#pragma once

#include <cstdint>
#include <string>

namespace inferd::config {

enum class PayloadLogMode { kAll, kRequest, kResponse };

// Bodies of inference requests and their responses that go to another server, as CloudEvents.
struct PayloadLogOptions {
  std::string url = {};  // of the sink; empty: nothing is logged
  PayloadLogMode mode = PayloadLogMode::kAll;
  uint32_t queue_max = 4096;                // payloads that wait; more are dropped, and counted
  uint64_t bytes_max = uint64_t{64} << 20;  // the same in bytes
  uint32_t workers = 5;                     // threads that send
  // What the events say of themselves; empty: nothing, but for the source.
  std::string source = "inferd";
  std::string inference_service = {};
  std::string namespace_name = {};
  std::string component = {};
  std::string endpoint = {};
};

}  // namespace inferd::config
