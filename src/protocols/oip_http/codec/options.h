#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/tensorjson/write.h"
#include "protocols/rest/options.h"

namespace inferd::oip_http {

// The body of a health endpoint. Predict V2: "The HTTP response body should be empty". Some clients of the Open
// Inference Protocol read JSON, and send an Accept header (if only */*): kAccepted follows that header.
enum class HealthBodies { kEmpty, kJson, kAccepted };

// Texts that other servers' test suites expect.
struct Texts {
  std::string not_found = "Not Found";
  std::string method_not_allowed = "Method Not Allowed";
  std::string model_not_ready;  // error for a model that is not ready; empty for an empty body, as specified
};

// The options of this front-end. Set before the server starts; then immutable and shared by every loop's handler.
struct Options : rest::Options {
  std::string server_name = "inferd";
  std::string server_version = "0.0.0";
  // Error of calls and tensors without such support
  std::string_view regions_disabled = "client shared memory is not served";
  // Errors say how to mend a request, and may name models and tensors for that. Set only if all clients may list these.
  bool advice = false;
  std::string_view json_bytes_option = "--json-bytes-max";  // the option's name in this personality
  bool triton_exact = false;                                // behave exactly as Triton, even if it does less
  bool detail_bodies = false;  // unknown routes answer {"detail": text}, as KServe's servers do
  HealthBodies health_bodies = HealthBodies::kEmpty;
  bool control_bodies = false;  // load and unload calls answer {"name": .., "load": true}; else an empty body
  tensorjson::NonFinite nonfinite = tensorjson::NonFinite::kTokens;  // in JSON output
  Texts texts;
  uint64_t control_bytes_max = 1 << 20;         // bodies of index, unload and logging: 413
  size_t offload_compressed_bytes = 16 * 1024;  // responses to be compressed, from this size on, too
  size_t compress_bytes_min = 1024;             // smaller responses are sent as they are
};

}  // namespace inferd::oip_http
