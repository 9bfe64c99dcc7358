#pragma once

#include <string>

#include "protocols/rest/options.h"
#include "protocols/tfs/model_spec.h"

namespace inferd::tfs_http {

// What GET /v1/models/M says: TensorFlow Serving's status of its versions, KServe V1's readiness, or both in one
// object; and GET /v1/models: TensorFlow Serving's refusal, or the list of names.
enum class V1Status { kUnion, kTfs, kKserve };

// Under which key classify and regress answer: TensorFlow Serving's document says "result", the server "results".
enum class ResultKey { kBoth, kResult, kResults };

// How this front-end answers. Set before the server starts; immutable and shared by every loop's handler afterwards.
struct Options : rest::Options {
  V1Status v1_status = V1Status::kUnion;
  ResultKey result_key = ResultKey::kBoth;
  bool cors = false;                                            // CORS headers on every answer
  bool check_methods = false;                                   // tfs::CheckMethod
  std::string metrics_path = "/monitoring/prometheus/metrics";  // empty: no page of metrics
  bool routes_only = false;  // what no route has is not claimed, and refused by the front-end of Predict V2
  // As the server itself: what follows the JSON of a body does not matter, what cannot serve is not found, and where it
  // gives no reason there is none.
  bool exact = false;

  tfs::Unready unready() const { return exact ? tfs::Unready::kNotFound : tfs::Unready::kUnavailable; }
};

}  // namespace inferd::tfs_http
