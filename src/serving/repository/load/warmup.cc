#include "serving/repository/load/warmup.h"

#include <algorithm>
#include <future>
#include <random>

#include "serving/core/model_caller.h"
#include "serving/repository/load/warmup_data.h"

namespace inferd::repository {

namespace {

std::future<base::Status> Send(const std::shared_ptr<const core::ModelVersion>& version,
                               std::unique_ptr<core::InferRequest> request) {
  auto promise = std::make_shared<std::promise<base::Status>>();
  std::future<base::Status> answer = promise->get_future();
  core::ModelCaller::WarmUp(version, std::move(request),
                            core::Completion([promise, first = base::Status()](core::InferResponse response) mutable {
                              if (first.ok()) first = std::move(response.status);
                              if (response.final) promise->set_value(std::move(first));
                            }));
  return answer;
}

// Returns true if the scheduler makes this input for every request of a sequence: a control or a state.
bool IsMadeForSequences(const config::ModelConfig& config, const std::string& input) {
  if (!config.sequence_batching.has_value()) return false;
  const auto names = [&input](const auto& list, auto name) {
    return std::ranges::find(list, input, name) != list.end();
  };
  return names(config.sequence_batching->controls, &config::SequenceControl::name) ||
         names(config.sequence_batching->states, &config::SequenceState::input);
}

// Removes the inputs that no client may give. Samples written for Triton have them, since Triton needs them there.
void LeaveOutMade(const config::ModelConfig& config, core::InferRequest& request) {
  const auto made = std::ranges::remove_if(
      request.inputs, [&config](const core::InferTensor& input) { return IsMadeForSequences(config, input.name); });
  request.inputs.erase(made.begin(), made.end());
}

}  // namespace

base::Result<std::unique_ptr<core::InferRequest>> MakeWarmupRequest(const config::Warmup& warmup,
                                                                    const std::string& model, bool batches,
                                                                    const std::filesystem::path& dir) {
  auto request = std::make_unique<core::InferRequest>();
  request->model_name = model;
  const int64_t rows = batches ? std::max<int64_t>(warmup.batch_size, 1) : 1;
  std::minstd_rand random(1);  // a fixed seed: every load gets the same data
  for (const auto& [name, input] : warmup.inputs) {
    const std::string context = "warm-up '" + warmup.name + "', input '" + name + "'";
    auto buffer = MakeWarmupData(input, rows, dir, random);
    if (!buffer.has_value()) return std::unexpected(buffer.error().WithContext(context));
    core::InferTensor tensor;
    tensor.name = name;
    tensor.datatype = input.datatype;
    tensor.shape = input.dims;
    if (batches) tensor.shape.Prepend(rows);
    tensor.data = base::BufferSlice(*std::move(buffer));
    request->inputs.push_back(std::move(tensor));
  }
  return request;
}

base::Status WarmUpWith(const std::shared_ptr<const core::ModelVersion>& version,
                        std::vector<std::unique_ptr<core::InferRequest>> requests) {
  for (size_t i = 0; i < requests.size(); ++i) {
    const std::string context = "recorded warm-up " + std::to_string(i);
    requests[i]->model_name = version->id().name;
    INFERD_RETURN_IF_ERROR(Send(version, std::move(requests[i])).get().WithContext(context));
  }
  return base::OkStatus();
}

base::Status WarmUp(const std::shared_ptr<const core::ModelVersion>& version,
                    const std::vector<config::Warmup>& warmups, const std::filesystem::path& dir, size_t instances,
                    base::Logger* logger) {
  const bool batches = version->signature().max_batch_size > 0;
  for (const config::Warmup& warmup : warmups) {
    const std::string context = "warm-up '" + warmup.name + "'";
    if (logger != nullptr) {
      logger->Verbose("model '" + version->id().name + "' is running warmup sample '" + warmup.name + "'");
    }
    for (uint32_t i = 0; i < std::max<uint32_t>(warmup.count, 1); ++i) {
      std::vector<std::future<base::Status>> answers;
      for (size_t instance = 0; instance < instances; ++instance) {
        INFERD_ASSIGN_OR_RETURN(auto request, MakeWarmupRequest(warmup, version->id().name, batches, dir));
        LeaveOutMade(version->config(), *request);
        answers.push_back(Send(version, std::move(request)));
      }
      base::Status failed;
      for (auto& answer : answers) {
        base::Status status = answer.get();
        if (failed.ok()) failed = std::move(status);
      }
      INFERD_RETURN_IF_ERROR(failed.WithContext(context));
    }
  }
  return base::OkStatus();
}

}  // namespace inferd::repository
