#pragma once

#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "serving/core/validate.h"
#include "serving/scheduling/batch/batch_execution.h"
#include "tests/support/recording_execution.h"

namespace inferd::scheduling {

// The environment of a BatchExecution, and requests for it. The test itself plays the engine.
class BatchFixture {
 public:
  BatchFixture() : BatchFixture(DefaultSignature()) {}
  explicit BatchFixture(core::ModelSignature signature) : signature_(std::move(signature)) {
    for (size_t i = 0; i < signature_.inputs.size(); ++i) {
      context.input_alignments.push_back(1);
      context.engine_inputs.push_back(static_cast<int>(i));
      context.one_piece_inputs.push_back(false);
    }
    for (size_t i = 0; i < signature_.outputs.size(); ++i) context.engine_outputs.push_back(static_cast<int>(i));
  }

  // Returns the signature with IN, INT32 [-1,-1], and the outputs OUT, INT32 [-1,-1], and TEXT, BYTES [-1].
  static core::ModelSignature DefaultSignature() {
    core::ModelSignature signature;
    signature.max_batch_size = 64;
    signature.inputs = {{.name = "IN", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}}};
    signature.outputs = {{.name = "OUT", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}},
                         {.name = "TEXT", .datatype = tensor::DataType::kBytes, .shape = {-1}}};
    return signature;
  }

  static core::InferTensor Tensor(std::string name, tensor::Shape shape, const std::vector<int32_t>& values) {
    return {.name = std::move(name),
            .datatype = tensor::DataType::kInt32,
            .shape = std::move(shape),
            .data = support::SliceOf(values),
            .parameters = {}};
  }
  static core::InferTensor Texts(std::string name, const std::vector<std::string>& texts) {
    return {.name = std::move(name),
            .datatype = tensor::DataType::kBytes,
            .shape = {static_cast<int64_t>(texts.size())},
            .data = support::Packed(texts),
            .parameters = {}};
  }

  // Makes a request for `outputs` (all if empty). answers() later returns its responses, numbered by call.
  std::unique_ptr<QueueEntry> Request(std::vector<core::InferTensor> inputs, std::vector<std::string> outputs = {}) {
    auto entry = std::make_unique<QueueEntry>();
    core::QueuedRequest& queued = entry->queued;
    queued.request = std::make_unique<core::InferRequest>();
    queued.request->id = std::to_string(answers_.size());
    for (core::InferTensor& input : inputs) queued.request->inputs.push_back(std::move(input));
    for (std::string& output : outputs) queued.request->outputs.push_back({std::move(output)});
    if (!core::ValidateRequest(*queued.request, "m", signature_, &queued.layout).ok()) std::abort();
    queued.queued_ns = clock.NowNs();
    auto& answers = answers_.emplace_back();
    queued.completion = core::Completion([&answers](core::InferResponse r) { answers.push_back(std::move(r)); });
    return entry;
  }

  // Makes a request with `values` in `rows` rows of IN.
  std::unique_ptr<QueueEntry> Request(int64_t rows, const std::vector<int32_t>& values,
                                      std::vector<std::string> outputs = {"OUT"}) {
    const auto columns = static_cast<int64_t>(values.size()) / rows;
    std::vector<core::InferTensor> inputs;
    inputs.push_back(Tensor("IN", {rows, columns}, values));
    return Request(std::move(inputs), std::move(outputs));
  }

  const std::vector<core::InferResponse>& answers(size_t i) const { return answers_.at(i); }
  // Returns the only response to request `i`.
  const core::InferResponse& answer(size_t i) const {
    if (answers(i).size() != 1) std::abort();
    return answers(i)[0];
  }
  std::vector<int32_t> values(size_t i, size_t output = 0) const {
    return support::ValuesOf<int32_t>(answer(i).outputs.at(output).data);
  }

 private:
  core::ModelSignature signature_;
  metrics::Registry registry_;
  InferenceMetrics inference_metrics_{registry_};
  std::shared_ptr<core::VersionStatistics> statistics_ = std::make_shared<core::VersionStatistics>();
  std::unique_ptr<VersionMetrics> version_metrics_ = inference_metrics_.Add({"m", 1}, {}, statistics_);
  std::deque<std::vector<core::InferResponse>> answers_;

 public:
  base::FakeClock clock;
  core::VersionStatistics& statistics = *statistics_;
  ExecutionContext context{.clock = clock,
                           .signature = signature_,
                           .statistics = *statistics_,
                           .metrics = *version_metrics_,
                           .input_alignments = {},
                           .engine_inputs = {},
                           .engine_outputs = {}};
  metrics::Registry& registry() { return registry_; }
};

// A running execution of `entries`. Make it with braces, so that the requests in the list are made in order.
class Running final : public std::unique_ptr<BatchExecution> {
 public:
  template <typename... Entries>
  explicit Running(BatchFixture& fixture, Entries... entries)
      : unique_ptr(std::make_unique<BatchExecution>(fixture.context)) {
    (get()->Add(std::move(entries)), ...);
    if (!get()->Begin(fixture.clock.NowNs())) std::abort();
  }
};

// Returns every value of an input, from all of its pieces.
inline std::vector<int32_t> Gathered(const core::ExecutionInput& input) {
  std::vector<int32_t> all;
  for (const base::BufferSlice& piece : input.pieces) {
    const auto values = support::ValuesOf<int32_t>(piece);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace inferd::scheduling
