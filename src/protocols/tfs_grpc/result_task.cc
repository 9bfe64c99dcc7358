#include "protocols/tfs_grpc/result_task.h"

#include <algorithm>
#include <utility>

#include "base/text/utf8.h"
#include "data/wire/reader.h"
#include "net/grpc/generated_message.h"
#include "protocols/tfs/results.h"
#include "protocols/tfs/signature_method.h"
#include "protocols/tfs_grpc/codec/model_messages.h"
#include "tfs/prediction_service.pb.h"

namespace inferd::tfs_grpc {

namespace {

namespace serving = tensorflow::serving;
using base::InvalidArgument;
using wire::Reader;
using wire::Tag;
using wire::Type;
using Examples = std::optional<int64_t>;

struct Task {
  RequestedModel model;
  std::string_view method;
};

// Reads an InferenceTask.
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
  if (method == tfs::kClassifyMethod) return Result::kClassification;
  if (method == tfs::kRegressMethod) return Result::kRegression;
  return std::unexpected(base::Unimplemented("Unsupported signature method_name: " + std::string(method)));
}

// A signature may be requested once, so more tasks than any model has signatures cannot succeed.
constexpr size_t kTasksMax = 256;

base::Status CheckTask(const ResultTask& task, std::span<const ResultTask> before) {
  if (task.model.spec.model.empty()) return InvalidArgument("Found ModelSpec with an empty model name.");
  if (before.empty()) return {};
  if (before.front().model.spec.model != task.model.spec.model) {
    return InvalidArgument("All ModelSpecs in a MultiInferenceRequest must access the same model name.");
  }
  if (before.size() == kTasksMax) {
    return InvalidArgument("expected at most " + std::to_string(kTasksMax) + " tasks, got more");
  }
  const std::string_view signature = tfs::MeantSignature(task.model.signature);
  for (const ResultTask& other : before) {
    if (tfs::MeantSignature(other.model.signature) != signature) continue;
    return InvalidArgument("Duplicate evaluation of signature: " + std::string(signature));
  }
  return {};
}

base::Result<std::vector<ResultTask>> ReadTasks(std::string_view message) {
  std::vector<ResultTask> tasks;
  Reader in(message);
  while (const uint32_t tag = in.Next()) {
    if (tag != Tag(1, Type::kBytes)) {
      in.Skip();
      continue;
    }
    INFERD_ASSIGN_OR_RETURN(Task read, ReadTask(in.Message()));
    ResultTask task{.model = std::move(read.model)};
    INFERD_RETURN_IF_ERROR(CheckTask(task, tasks));
    INFERD_ASSIGN_OR_RETURN(task.result, ResultOf(read.method));
    tasks.push_back(std::move(task));
  }
  if (!in.ok()) return std::unexpected(in.status());
  if (tasks.empty()) return std::unexpected(InvalidArgument("Found ModelSpec with an empty model name."));
  return tasks;
}

tfs::Api ApiOf(Result result) { return result == Result::kClassification ? tfs::Api::kClassify : tfs::Api::kRegress; }

base::Status Fill(const core::InferResponse& response, const core::ModelSignature& signature, Examples examples,
                  serving::ClassificationResult& result) {
  INFERD_ASSIGN_OR_RETURN(const tfs::Classes found, tfs::FindClasses(response, signature, examples));
  tfs::ClassCursor cursor(found);
  for (size_t row = 0; row < found.rows; ++row) {
    auto& classes = *result.add_classifications()->mutable_classes();
    classes.Reserve(static_cast<int>(found.classes));
    for (size_t i = 0; i < found.classes; ++i) {
      const auto [label, score] = cursor.Next();
      serving::Class& added = *classes.Add();
      added.set_label(base::ReplaceMalformedUtf8(label));
      added.set_score(score);
    }
  }
  return {};
}

base::Status Fill(const core::InferResponse& response, const core::ModelSignature& signature, Examples examples,
                  serving::RegressionResult& result) {
  INFERD_ASSIGN_OR_RETURN(const core::InferTensor* const values, tfs::FindValues(response, signature, examples));
  const auto count = static_cast<size_t>(values->shape.ElementCount().value_or(0));
  for (size_t i = 0; i < count; ++i) result.add_regressions()->set_value(tfs::ValueAt(*values, i));
  return {};
}

// `message` has a model_spec.
template <typename Message, typename ResultMessage>
base::Status FillTask(const core::InferResponse& response, const core::ModelSignature& signature, Examples examples,
                      Message& message, ResultMessage& result) {
  *message.mutable_model_spec() =
      ModelSpecMessage(response.model_name, response.model_version, tfs::SignatureName(signature));
  return Fill(response, signature, examples, result);
}

template <typename Response>
base::Result<net::grpc::Message> WriteOne(const core::InferResponse& response, const core::ModelSignature& signature,
                                          Examples examples) {
  Response message;
  INFERD_RETURN_IF_ERROR(FillTask(response, signature, examples, message, *message.mutable_result()));
  return net::grpc::Encode(message);
}

}  // namespace

base::Result<std::vector<ResultTask>> ReadResultTasks(std::string_view message, tfs::Api api) {
  if (api == tfs::Api::kMultiInference) return ReadTasks(message);
  INFERD_ASSIGN_OR_RETURN(RequestedModel model, ReadModelSpecOf(message, 1));
  std::vector<ResultTask> tasks(1);
  tasks[0].model = std::move(model);
  tasks[0].result = api == tfs::Api::kClassify ? Result::kClassification : Result::kRegression;
  return tasks;
}

base::Status ResolveTasks(const core::PinnedModel& model, tfs::Api api, bool check_methods,
                          std::span<ResultTask> tasks) {
  const auto signatures = model.signatures();
  for (ResultTask& task : tasks) {
    const auto found = tfs::FindSignature(model, task.model.signature);
    if (!found) {
      INFERD_RETURN_IF_ERROR(tfs::CheckServed(model, task.model.signature));
      const bool multi = api == tfs::Api::kMultiInference;
      return InvalidArgument(
          (multi ? "Requested signature not found in model graph: " : "No signature was found with the name: ") +
          std::string(tfs::MeantSignature(task.model.signature)));
    }
    task.signature = *found;
    if (check_methods) INFERD_RETURN_IF_ERROR(tfs::CheckMethod(ApiOf(task.result), *signatures[*found]));
  }
  return {};
}

base::Status CheckResult(Result result, const core::ModelSignature& signature) {
  return result == Result::kClassification ? tfs::CheckClassifier(signature) : tfs::CheckRegressor(signature);
}

base::Status RefuseTask(Result result, const core::ModelSignature& signature, base::Status failure) {
  return tfs::RefuseSignature(ApiOf(result), signature, std::move(failure));
}

base::Result<net::grpc::Message> WriteResults(tfs::Api api, const core::PinnedModel& model,
                                              std::span<const ResultTask> tasks,
                                              std::span<const core::InferResponse> responses, Examples examples) {
  const auto signature_of = [&](size_t task) -> const core::ModelSignature& {
    return *model.signatures()[tasks[task].signature];
  };
  if (api == tfs::Api::kClassify)
    return WriteOne<serving::ClassificationResponse>(responses[0], signature_of(0), examples);
  if (api == tfs::Api::kRegress) return WriteOne<serving::RegressionResponse>(responses[0], signature_of(0), examples);
  serving::MultiInferenceResponse message;
  for (size_t i = 0; i < tasks.size(); ++i) {
    serving::InferenceResult& added = *message.add_results();
    INFERD_RETURN_IF_ERROR(
        tasks[i].result == Result::kClassification
            ? FillTask(responses[i], signature_of(i), examples, added, *added.mutable_classification_result())
            : FillTask(responses[i], signature_of(i), examples, added, *added.mutable_regression_result()));
  }
  return net::grpc::Encode(message);
}

}  // namespace inferd::tfs_grpc
