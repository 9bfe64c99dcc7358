#pragma once

#include <cstdint>
#include <string>

namespace inferd::config {

enum class PayloadLogMode { kAll, kRequest, kResponse };

// Logging of inference requests' and responses' bodies to another server, as CloudEvents.
struct PayloadLogOptions {
  std::string url = {};  // of the sink; nothing is logged if empty
  PayloadLogMode mode = PayloadLogMode::kAll;
  uint32_t queue_max = 4096;                // waiting payloads; more are dropped and counted
  uint64_t bytes_max = uint64_t{64} << 20;  // the same in bytes
  uint32_t workers = 5;                     // threads that send
  // Attributes of the events; empty ones, except the source, are left out.
  std::string source = "inferd";
  std::string inference_service = {};
  std::string namespace_name = {};
  std::string component = {};
  std::string endpoint = {};
};

}  // namespace inferd::config
