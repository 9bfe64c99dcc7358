#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "core/infer_response.h"
#include "core/model_signature.h"
#include "frontends/tfs_grpc/model_spec_reader.h"
#include "net/grpc/responder.h"
#include "tfs/request_metrics.h"

namespace inferd::tfs_grpc {

// What is to be made of a model's outputs.
enum class Result : uint8_t { kClassification, kRegression };

// The results that a request asks for, of one execution of one model.
struct ResultTasks {
  RequestedModel model;
  std::vector<Result> results;  // at least one
};

// What a ClassificationRequest, a RegressionRequest or a MultiInferenceRequest asks for, its Input aside. In TensorFlow
// Serving's words, INVALID_ARGUMENT: no protobuf, no task, tasks of several models or twice of one signature;
// UNIMPLEMENTED: another method.
base::Result<ResultTasks> ReadResultTasks(std::string_view message, tfs::Api api);

// Whether a model's outputs can be read as all of them. INVALID_ARGUMENT: they cannot, and what would do.
base::Status CheckResults(const ResultTasks& tasks, const core::ModelSignature& signature);

// The bytes of a ClassificationResponse, a RegressionResponse or a MultiInferenceResponse. Errors are
// tfs::FindClasses's and tfs::FindValues's. Pure; runs on any thread.
base::Result<net::grpc::Message> WriteResults(const ResultTasks& tasks, tfs::Api api,
                                              const core::InferResponse& response,
                                              const core::ModelSignature& signature);

}  // namespace inferd::tfs_grpc
