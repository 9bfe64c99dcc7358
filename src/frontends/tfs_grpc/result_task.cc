#include "frontends/tfs_grpc/result_task.h"

#include <optional>
#include <utility>

#include "frontends/tfs_grpc/model_messages.h"
#include "net/grpc/generated_message.h"
#include "tfs/prediction_service.pb.h"
#include "tfs/results.h"
#include "wire/reader.h"
#include "wire/utf8.h"

namespace inferd::tfs_grpc {

namespace {

namespace serving = tensorflow::serving;
using base::InvalidArgument;
using wire::Reader;
using wire::Tag;
using wire::Type;

struct Task {
  RequestedModel model;
  std::string_view method;
};

// An InferenceTask.
base::Result<Task> ReadTask(Reader in) {
  Task task;
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case Tag(1, Type::kBytes): {
        Reader spec = in.Message();
        ReadModelSpec(spec, task.model);
        if (!spec.ok()) return std::unexpected(spec.status());
        break;
      }
      case Tag(2, Type::kBytes): task.method = in.String(); break;
      default: in.Skip();
    }
  }
  if (!in.ok()) return std::unexpected(in.status());
  return task;
}

base::Result<Result> ResultOf(std::string_view method) {
  if (method == "tensorflow/serving/classify") return Result::kClassification;
  if (method == "tensorflow/serving/regress") return Result::kRegression;
  return std::unexpected(base::Unimplemented("Unsupported signature method_name: " + std::string(method)));
}

// Why a second task cannot be served.
base::Status RefuseSecond(const RequestedModel& first, const RequestedModel& second) {
  if (first.spec.model != second.spec.model) {
    return InvalidArgument("All ModelSpecs in a MultiInferenceRequest must access the same model name.");
  }
  const bool served = IsServed(first.signature);
  if (served != IsServed(second.signature)) return UnknownResultSignature((served ? second : first).signature);
  return InvalidArgument("Duplicate evaluation of signature: " +
                         (served ? std::string(tfs::kServingDefault) : first.signature));
}

base::Result<ResultTask> ReadOnlyTask(std::string_view message) {
  std::optional<ResultTask> only;
  Reader in(message);
  while (const uint32_t tag = in.Next()) {
    if (tag != Tag(1, Type::kBytes)) {
      in.Skip();
      continue;
    }
    INFERD_ASSIGN_OR_RETURN(Task task, ReadTask(in.Message()));
    if (task.model.spec.model.empty()) {
      return std::unexpected(InvalidArgument("Found ModelSpec with an empty model name."));
    }
    if (only) return std::unexpected(RefuseSecond(only->model, task.model));
    INFERD_ASSIGN_OR_RETURN(const Result result, ResultOf(task.method));
    only = ResultTask{.model = std::move(task.model), .result = result};
  }
  if (!in.ok()) return std::unexpected(in.status());
  if (!only) return std::unexpected(InvalidArgument("Found ModelSpec with an empty model name."));
  return *std::move(only);
}

base::Status Fill(const core::InferResponse& response, const core::ModelSignature& signature,
                  serving::ClassificationResult& result) {
  INFERD_ASSIGN_OR_RETURN(const tfs::Classes found, tfs::FindClasses(response, signature));
  tfs::ClassCursor cursor(found);
  for (size_t row = 0; row < found.rows; ++row) {
    auto& classes = *result.add_classifications()->mutable_classes();
    classes.Reserve(static_cast<int>(found.classes));
    for (size_t i = 0; i < found.classes; ++i) {
      const auto [label, score] = cursor.Next();
      serving::Class& added = *classes.Add();
      added.set_label(wire::ToUtf8(label));
      added.set_score(score);
    }
  }
  return {};
}

base::Status Fill(const core::InferResponse& response, const core::ModelSignature& signature,
                  serving::RegressionResult& result) {
  INFERD_ASSIGN_OR_RETURN(const core::InferTensor* const values, tfs::FindValues(response, signature));
  const auto count = static_cast<size_t>(values->shape.ElementCount().value_or(0));
  for (size_t i = 0; i < count; ++i) result.add_regressions()->set_value(tfs::ValueAt(*values, i));
  return {};
}

template <typename Response>
base::Result<net::grpc::Message> WriteOne(const core::InferResponse& response, const core::ModelSignature& signature) {
  Response message;
  *message.mutable_model_spec() = ModelSpecMessage(response.model_name, response.model_version, tfs::kServingDefault);
  INFERD_RETURN_IF_ERROR(Fill(response, signature, *message.mutable_result()));
  return net::grpc::Encode(message);
}

}  // namespace

base::Result<ResultTask> ReadResultTask(std::string_view message, tfs::Api api) {
  if (api == tfs::Api::kMultiInference) return ReadOnlyTask(message);
  INFERD_ASSIGN_OR_RETURN(RequestedModel model, ReadModelSpecOf(message, 1));
  return ResultTask{.model = std::move(model),
                    .result = api == tfs::Api::kClassify ? Result::kClassification : Result::kRegression};
}

base::Status CheckResult(Result result, const core::ModelSignature& signature) {
  return result == Result::kClassification ? tfs::CheckClassifier(signature) : tfs::CheckRegressor(signature);
}

base::Status UnknownResultSignature(const std::string& name) {
  return InvalidArgument("No signature was found with the name: " + name);
}

base::Result<net::grpc::Message> WriteResult(Result result, tfs::Api api, const core::InferResponse& response,
                                             const core::ModelSignature& signature) {
  if (api == tfs::Api::kClassify) return WriteOne<serving::ClassificationResponse>(response, signature);
  if (api == tfs::Api::kRegress) return WriteOne<serving::RegressionResponse>(response, signature);
  serving::MultiInferenceResponse message;
  serving::InferenceResult& added = *message.add_results();
  *added.mutable_model_spec() = ModelSpecMessage(response.model_name, response.model_version, tfs::kServingDefault);
  INFERD_RETURN_IF_ERROR(result == Result::kClassification
                             ? Fill(response, signature, *added.mutable_classification_result())
                             : Fill(response, signature, *added.mutable_regression_result()));
  return net::grpc::Encode(message);
}

}  // namespace inferd::tfs_grpc
