#include "frontends/tfs_grpc/result_tasks.h"

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

// Every model has one signature: a second task of the same model would be of the same one.
base::Status AddTask(Task task, ResultTasks& tasks) {
  if (task.model.spec.model.empty()) return InvalidArgument("Found ModelSpec with an empty model name.");
  if (!tasks.results.empty() && task.model.spec.model != tasks.model.spec.model) {
    return InvalidArgument("All ModelSpecs in a MultiInferenceRequest must access the same model name.");
  }
  if (!tasks.results.empty() && IsServed(task.model.signature)) {
    return InvalidArgument("Duplicate evaluation of signature: " + std::string(tfs::kServingDefault));
  }
  if (task.method == "tensorflow/serving/classify") {
    tasks.results.push_back(Result::kClassification);
  } else if (task.method == "tensorflow/serving/regress") {
    tasks.results.push_back(Result::kRegression);
  } else {
    return base::Unimplemented("Unsupported signature method_name: " + std::string(task.method));
  }
  if (tasks.results.size() == 1 || IsServed(tasks.model.signature)) tasks.model = std::move(task.model);
  return {};
}

base::Result<ResultTasks> ReadInferenceTasks(std::string_view message) {
  ResultTasks tasks;
  Reader in(message);
  while (const uint32_t tag = in.Next()) {
    if (tag != Tag(1, Type::kBytes)) {
      in.Skip();
      continue;
    }
    INFERD_ASSIGN_OR_RETURN(Task task, ReadTask(in.Message()));
    INFERD_RETURN_IF_ERROR(AddTask(std::move(task), tasks));
  }
  if (!in.ok()) return std::unexpected(in.status());
  if (tasks.results.empty()) return std::unexpected(InvalidArgument("Found ModelSpec with an empty model name."));
  return tasks;
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

base::Result<ResultTasks> ReadResultTasks(std::string_view message, tfs::Api api) {
  if (api == tfs::Api::kMultiInference) return ReadInferenceTasks(message);
  ResultTasks tasks;
  INFERD_ASSIGN_OR_RETURN(tasks.model, ReadModelSpecOf(message, 1));
  tasks.results = {api == tfs::Api::kClassify ? Result::kClassification : Result::kRegression};
  return tasks;
}

base::Status CheckResults(const ResultTasks& tasks, const core::ModelSignature& signature) {
  for (const Result result : tasks.results) {
    const auto check = result == Result::kClassification ? tfs::CheckClassifier : tfs::CheckRegressor;
    INFERD_RETURN_IF_ERROR(check(signature));
  }
  return {};
}

base::Result<net::grpc::Message> WriteResults(const ResultTasks& tasks, tfs::Api api,
                                              const core::InferResponse& response,
                                              const core::ModelSignature& signature) {
  if (api == tfs::Api::kClassify) return WriteOne<serving::ClassificationResponse>(response, signature);
  if (api == tfs::Api::kRegress) return WriteOne<serving::RegressionResponse>(response, signature);
  serving::MultiInferenceResponse message;
  for (const Result result : tasks.results) {
    serving::InferenceResult& added = *message.add_results();
    *added.mutable_model_spec() = ModelSpecMessage(response.model_name, response.model_version, tfs::kServingDefault);
    INFERD_RETURN_IF_ERROR(result == Result::kClassification
                               ? Fill(response, signature, *added.mutable_classification_result())
                               : Fill(response, signature, *added.mutable_regression_result()));
  }
  return net::grpc::Encode(message);
}

}  // namespace inferd::tfs_grpc
