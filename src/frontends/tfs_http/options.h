#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/name_pattern.h"
#include "net/status_table.h"

namespace inferd::tfs_http {

// What GET /v1/models/M says: TensorFlow Serving's status of its versions, KServe V1's readiness, or both in one
// object; and GET /v1/models: TensorFlow Serving's refusal, or the list of names.
enum class V1Status { kUnion, kTfs, kKserve };

// Under which key classify and regress answer: TensorFlow Serving's document says "result", the server "results".
enum class ResultKey { kBoth, kResult, kResults };

// How this front-end answers. Set before the server starts; immutable and shared by every loop's handler afterwards.
struct Options {
  V1Status v1_status = V1Status::kUnion;
  ResultKey result_key = ResultKey::kBoth;
  bool cors = false;  // CORS headers on every answer
  net::StatusTable statuses = net::kStatuses;
  std::optional<base::NamePattern> forwarded_headers;  // become parameters of inference requests; absent: none
  bool access_log = false;                             // one line per request, at info level
  int retry_after_s = 1;                               // with 429, where the response does not say better
  uint64_t body_bytes_max = uint64_t{1} << 30;         // also after decompression: 413
  uint32_t json_depth_max = 64;                        // open arrays and objects
  uint32_t compression_ratio_max = 100;                // a compressed body's, above 64 KiB: 413
  size_t offload_bytes = 256 * 1024;  // JSON from this size on is left to the pool, and compressed requests
};

}  // namespace inferd::tfs_http
