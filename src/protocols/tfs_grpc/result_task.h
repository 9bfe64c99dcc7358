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

// What is to be made of a model's outputs.
enum class Result : uint8_t { kClassification, kRegression };

// A result that a request asks for, and of which model.
struct ResultTask {
  RequestedModel model;
  Result result = Result::kClassification;
  uint32_t signature = 0;  // by its place in the model's: ResolveTasks
};

// What a ClassificationRequest, a RegressionRequest or a MultiInferenceRequest asks for, its Input aside: at least one
// task, and one unless it is the last of these. In TensorFlow Serving's words, INVALID_ARGUMENT: no protobuf, no task,
// tasks of several models, or twice of one signature; UNIMPLEMENTED: another method.
base::Result<std::vector<ResultTask>> ReadResultTasks(std::string_view message, tfs::Api api);

// Finds the tasks' signatures. In TensorFlow Serving's words, INVALID_ARGUMENT: there is no such signature, it is of
// another method (`check_methods`: tfs::CheckMethod).
base::Status ResolveTasks(const core::PinnedModel& model, tfs::Api api, bool check_methods,
                          std::span<ResultTask> tasks);

// Whether a model's outputs can be read as that. INVALID_ARGUMENT: they cannot, and what would do.
base::Status CheckResult(Result result, const core::ModelSignature& signature);

// As tfs::RefuseSignature.
base::Status RefuseTask(Result result, const core::ModelSignature& signature, base::Status failure);

// The bytes of a ClassificationResponse, a RegressionResponse or a MultiInferenceResponse, of the tasks' responses to
// so many examples. Errors are tfs::FindClasses's and tfs::FindValues's. Pure; runs on any thread.
base::Result<net::grpc::Message> WriteResults(tfs::Api api, const core::PinnedModel& model,
                                              std::span<const ResultTask> tasks,
                                              std::span<const core::InferResponse> responses,
                                              std::optional<int64_t> examples);

}  // namespace inferd::tfs_grpc
