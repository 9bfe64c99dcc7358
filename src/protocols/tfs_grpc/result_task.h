#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "net/grpc/responder.h"
#include "protocols/tfs/request_metrics.h"
#include "protocols/tfs_grpc/codec/model_spec_reader.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_response.h"

namespace inferd::tfs_grpc {

// The interpretation of a model's outputs.
enum class Result : uint8_t { kClassification, kRegression };

// A result that a request asks for, and its model.
struct ResultTask {
  RequestedModel model;
  Result result = Result::kClassification;
  uint32_t signature = 0;  // index in the model's signatures; set by ResolveTasks
};

// Reads the tasks of a ClassificationRequest, a RegressionRequest or a MultiInferenceRequest, without its Input: at
// least one, and exactly one unless it is a MultiInferenceRequest. In TensorFlow Serving's words, INVALID_ARGUMENT for
// malformed protobuf, no task, tasks of several models, or a repeated signature; UNIMPLEMENTED for another method.
base::Result<std::vector<ResultTask>> ReadResultTasks(std::string_view message, tfs::Api api);

// Finds the tasks' signatures. INVALID_ARGUMENT, in TensorFlow Serving's words, if there is no such signature, or it
// has another method (`check_methods`: tfs::CheckMethod()).
base::Status ResolveTasks(const core::PinnedModel& model, tfs::Api api, bool check_methods,
                          std::span<ResultTask> tasks);

// Checks that a model's outputs can be that result. INVALID_ARGUMENT says what is required if they cannot.
base::Status CheckResult(Result result, const core::ModelSignature& signature);

// As tfs::RefuseSignature().
base::Status RefuseTask(Result result, const core::ModelSignature& signature, base::Status failure);

// Returns the bytes of a ClassificationResponse, a RegressionResponse or a MultiInferenceResponse for the tasks'
// responses to that number of examples. Errors are those of tfs::FindClasses() and tfs::FindValues(). Pure; runs on any
// thread.
base::Result<net::grpc::Message> WriteResults(tfs::Api api, const core::PinnedModel& model,
                                              std::span<const ResultTask> tasks,
                                              std::span<const core::InferResponse> responses,
                                              std::optional<int64_t> examples);

}  // namespace inferd::tfs_grpc
