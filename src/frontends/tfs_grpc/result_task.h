#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "core/infer_response.h"
#include "core/model_signature.h"
#include "frontends/tfs_grpc/model_spec_reader.h"
#include "net/grpc/responder.h"
#include "tfs/request_metrics.h"

namespace inferd::tfs_grpc {

// What is to be made of a model's outputs.
enum class Result : uint8_t { kClassification, kRegression };

// The result that a request asks for, and of which model.
struct ResultTask {
  RequestedModel model;
  Result result = Result::kClassification;
};

// What a ClassificationRequest, a RegressionRequest or a MultiInferenceRequest asks for, its Input aside. Every model
// has one signature: of several tasks at least one cannot be served. In TensorFlow Serving's words, INVALID_ARGUMENT:
// no protobuf, no task, tasks of several models or signatures, or twice of one; UNIMPLEMENTED: another method.
base::Result<ResultTask> ReadResultTask(std::string_view message, tfs::Api api);

// Whether a model's outputs can be read as that. INVALID_ARGUMENT: they cannot, and what would do.
base::Status CheckResult(Result result, const core::ModelSignature& signature);

// INVALID_ARGUMENT: there is no such signature.
base::Status UnknownResultSignature(const std::string& name);

// The bytes of a ClassificationResponse, a RegressionResponse or a MultiInferenceResponse. Errors are
// tfs::FindClasses's and tfs::FindValues's. Pure; runs on any thread.
base::Result<net::grpc::Message> WriteResult(Result result, tfs::Api api, const core::InferResponse& response,
                                             const core::ModelSignature& signature);

}  // namespace inferd::tfs_grpc
