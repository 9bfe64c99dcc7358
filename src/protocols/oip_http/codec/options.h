#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/tensorjson/write.h"
#include "protocols/rest/options.h"

namespace inferd::oip_http {

// What a health endpoint says besides its status. Predict V2: "The HTTP response body should be empty"; some clients of
// the Open Inference Protocol read JSON, and say so in an Accept header (if only as */*): kAccepted follows it.
enum class HealthBodies { kEmpty, kJson, kAccepted };

// Texts that test suites of other servers look for.
struct Texts {
  std::string not_found = "Not Found";
  std::string method_not_allowed = "Method Not Allowed";
  std::string model_not_ready;  // the error of a model that is not ready; empty: an empty body, as the spec has it
};

// How this front-end answers. Set before the server starts; immutable and shared by every loop's handler afterwards.
struct Options : rest::Options {
  std::string server_name = "inferd";
  std::string server_version = "0.0.0";
  std::string_view regions_disabled = "client shared memory is not served";  // what calls and tensors are told then
  bool triton_exact = false;   // as Triton, where that is less than what is said here otherwise
  bool detail_bodies = false;  // what no route has is answered with {"detail": text}, as KServe's servers do
  HealthBodies health_bodies = HealthBodies::kEmpty;
  bool control_bodies = false;  // load and unload calls answer {"name": .., "load": true}; else nothing
  tensorjson::NonFinite nonfinite = tensorjson::NonFinite::kTokens;  // in JSON output
  Texts texts;
  uint64_t control_bytes_max = 1 << 20;         // bodies of index, unload and logging: 413
  size_t offload_compressed_bytes = 16 * 1024;  // responses from this size on that are to be compressed, too
  size_t compress_bytes_min = 1024;             // smaller responses are sent as they are
};

}  // namespace inferd::oip_http
