#pragma once

#include <string>

#include "protocols/rest/options.h"
#include "protocols/tfs/model_spec.h"

namespace inferd::tfs_http {

// The answer of GET /v1/models/M: TensorFlow Serving's status of its versions, KServe V1's readiness, or both in one
// object. The answer of GET /v1/models: TensorFlow Serving's refusal, or the list of names.
enum class V1Status { kUnion, kTfs, kKserve };

// The key of classify's and regress's results: TensorFlow Serving's document says "result", its server uses "results".
enum class ResultKey { kBoth, kResult, kResults };

// The options of this front-end. Set before the server starts; then immutable and shared by every loop's handler.
struct Options : rest::Options {
  V1Status v1_status = V1Status::kUnion;
  ResultKey result_key = ResultKey::kBoth;
  bool cors = false;                                            // CORS headers on every response
  bool check_methods = false;                                   // see tfs::CheckMethod
  std::string metrics_path = "/monitoring/prometheus/metrics";  // empty for no page of metrics
  bool routes_only = false;  // do not claim unknown routes: the front-end of Predict V2 refuses them
  // True to behave like TensorFlow Serving's server: text after a body's JSON is ignored, models that cannot serve are
  // not found, and errors without a reason there have none here.
  bool exact = false;

  tfs::Unready unready() const { return exact ? tfs::Unready::kNotFound : tfs::Unready::kUnavailable; }
};

}  // namespace inferd::tfs_http
