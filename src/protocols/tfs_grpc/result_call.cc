#include "protocols/tfs_grpc/result_call.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "protocols/tfs/results.h"
#include "protocols/tfs/serialized_examples.h"
#include "protocols/tfs_grpc/codec/examples_reader.h"
#include "protocols/v2/single_response.h"

namespace inferd::tfs_grpc {

namespace {

// Collects the responses to a call's tasks, which come on any thread and in any order, and then answers with the first
// task's response, or with a failure.
class TaskJoin final {
 public:
  // `others` receives the responses to the other tasks before that. `completion` owns this object.
  TaskJoin(size_t tasks, std::vector<core::InferResponse>& others, core::Completion completion)
      : parts_(tasks), left_(tasks), others_(others), completion_(std::move(completion)) {}

  void Add(size_t task, core::InferResponse&& response) {
    if (!parts_[task].Add(std::move(response))) return;
    // The last one sees the writes of all others.
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) Finish();
  }

 private:
  void Finish() {
    for (v2::SingleResponse& part : parts_) {
      if (part.many()) part.response().status = base::Unimplemented("the model gave more than one response to a task");
      part.response().final = true;
      if (!part.response().status.ok()) return completion_.Send(std::move(part.response()));
    }
    for (size_t i = 1; i < parts_.size(); ++i) others_.push_back(std::move(parts_[i].response()));
    completion_.Send(std::move(parts_[0].response()));
  }

  std::vector<v2::SingleResponse> parts_;  // by task
  std::atomic<size_t> left_;
  std::vector<core::InferResponse>& others_;
  core::Completion completion_;
};

// Returns true if both signatures read the same inputs from examples.
bool TakeTheSame(const core::ModelSignature& a, const core::ModelSignature& b) {
  return tfs::TakesSerialized(a) == tfs::TakesSerialized(b) &&
         std::ranges::equal(a.inputs, b.inputs, [](const core::TensorSpec& x, const core::TensorSpec& y) {
           return x.name == y.name && x.datatype == y.datatype && x.shape == y.shape && x.optional == y.optional;
         });
}

}  // namespace

base::Status ResultCall::Begin(const base::BufferSlice& message) {
  INFERD_ASSIGN_OR_RETURN(tasks_, ReadResultTasks(message.view(), api()));
  INFERD_RETURN_IF_ERROR(PinModel(tasks_.front().model));
  return ResolveTasks(*pinned(), api(), service_options().check_methods, tasks_);
}

bool ResultCall::ReadingIsBig(const base::BufferSlice& message) const {
  return message.size() >= options().offload_bytes;
}

base::Result<std::unique_ptr<core::InferRequest>> ResultCall::ReadFor(const ResultTask& task,
                                                                      const base::BufferSlice& message) const {
  auto request =
      ReadExamples(message.view(), *pinned()->signatures()[task.signature], service_options().context_bytes_max);
  if (request.has_value()) return request;
  return std::unexpected(Worded(task, std::move(request).error()));
}

base::Status ResultCall::Worded(const ResultTask& task, base::Status failure) const {
  if (!service_options().exact) return failure;
  return RefuseTask(task.result, *pinned()->signatures()[task.signature], std::move(failure));
}

base::Result<std::unique_ptr<core::InferRequest>> ResultCall::Read(const base::BufferSlice& message) {
  const auto signatures = pinned()->signatures();
  const uint32_t first = tasks_.front().signature;
  INFERD_ASSIGN_OR_RETURN(auto request, ReadFor(tasks_.front(), message));
  for (const ResultTask& task : tasks_) {
    base::Status fits = CheckResult(task.result, *signatures[task.signature]);
    if (!fits.ok()) return std::unexpected(Worded(task, std::move(fits)));
  }
  for (size_t i = 1; i < tasks_.size(); ++i) {
    std::unique_ptr<core::InferRequest>& other = others_.emplace_back();
    const core::ModelSignature& signature = *signatures[tasks_[i].signature];
    if (TakeTheSame(signature, *signatures[first])) continue;
    INFERD_ASSIGN_OR_RETURN(other, ReadFor(tasks_[i], message));
  }
  INFERD_RETURN_IF_ERROR(Complete(first, message, *request));
  examples_ = tfs::CountExamples(*request);
  return request;
}

void ResultCall::Execute(std::unique_ptr<core::InferRequest> request, core::Completion completion) {
  if (tasks_.size() == 1) return ModelCall::Execute(std::move(request), std::move(completion));
  std::vector<std::unique_ptr<core::InferRequest>> requests;
  for (size_t i = 0; i < tasks_.size(); ++i) {
    requests.push_back(std::make_unique<core::InferRequest>(*request));
    requests.back()->signature = tasks_[i].signature;
    if (i > 0 && others_[i - 1] != nullptr) requests.back()->inputs = std::move(others_[i - 1]->inputs);
  }
  // The last response may end this call.
  core::Dispatcher& models = dispatcher();
  const auto model = shared_pinned();
  const auto join = std::make_shared<TaskJoin>(requests.size(), responses_, std::move(completion));
  for (size_t i = 0; i < requests.size(); ++i) {
    models.Infer(model, std::move(requests[i]),
                 core::Completion([join, i](core::InferResponse&& response) { join->Add(i, std::move(response)); }));
  }
}

bool ResultCall::EncodingIsBig(const core::InferResponse& response) const {
  size_t bytes = 0;
  for (const core::InferTensor& output : response.outputs) bytes += output.data.size();
  return bytes * tasks_.size() >= options().offload_bytes;
}

base::Result<net::grpc::Message> ResultCall::Encode(core::InferResponse&& response) {
  responses_.insert(responses_.begin(), std::move(response));
  return Logged(WriteResults(api(), *pinned(), tasks_, responses_, examples_));
}

}  // namespace inferd::tfs_grpc
