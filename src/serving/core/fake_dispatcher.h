#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serving/core/dispatcher.h"

// For tests of the front-ends. Single-threaded.

namespace inferd::core {

class FakePinned final : public PinnedModel {
 public:
  const ModelSignature& signature() const override { return signature_; }
  const ModelSignature& accepted() const override { return accepted_.has_value() ? *accepted_ : signature_; }
  std::span<const ModelSignature* const> signatures() const override { return signatures_; }
  const std::string& version() const override { return version_; }
  const config::ModelConfig* configuration() const override { return configuration_; }
  InputMemory* input_memory() const override { return input_memory_; }
  void AddSignature(const ModelSignature& signature) { signatures_.push_back(&others_.emplace_back(signature)); }
  std::span<const ModelSignature* const> shown_signatures() const override { return shown_; }
  void CountRefused(int64_t, int64_t rows) const override { refused.push_back(rows); }
  void ShowSignature(const ModelSignature& signature) { shown_.push_back(&others_.emplace_back(signature)); }
  ModelSignature signature_;
  std::optional<ModelSignature> accepted_;  // nothing if there are no alternative tensors
  std::string version_ = "1";
  InputMemory* input_memory_ = nullptr;
  const config::ModelConfig* configuration_ = nullptr;
  mutable std::vector<int64_t> refused;  // rows of requests

 private:
  std::deque<ModelSignature> others_;
  std::vector<const ModelSignature*> signatures_{&signature_};
  std::vector<const ModelSignature*> shown_;
};

// A Dispatcher with the models in `models`. `infer` answers requests, by default with the inputs as outputs.
class FakeDispatcher final : public Dispatcher {
 public:
  base::Result<std::shared_ptr<const PinnedModel>> Find(std::string_view model, std::string_view version) override {
    if (!unavailable.empty()) return std::unexpected(base::Unavailable(unavailable));
    const auto it = models.find(std::string(model));
    if (it == models.end() || (!version.empty() && version != it->second->version_)) {
      return std::unexpected(base::NotFound("Request for unknown model: '" + std::string(model) + "' is not found"));
    }
    return std::shared_ptr<const PinnedModel>(it->second);
  }

  bool LoadsOnDemand(std::string_view model, std::string_view) override { return on_demand && !model.empty(); }
  void AwaitLoad(LoadDemand demand) override { demands.push_back(std::move(demand)); }

  base::Result<std::string> LabelledVersion(std::string_view, std::string_view label) override {
    const auto it = labels.find(label);
    if (it != labels.end()) return it->second;
    return std::unexpected(base::InvalidArgument("Unrecognized servable version label: " + std::string(label)));
  }

  base::Result<std::shared_ptr<const PinnedModel>> CallGraph(std::shared_ptr<const PinnedModel>,
                                                             const GraphCall& call) override {
    return call_graph(call);
  }

  void Infer(std::shared_ptr<const PinnedModel> pinned, std::unique_ptr<InferRequest> request,
             Completion completion) override {
    last = std::move(request);
    infer(*pinned, *last, std::move(completion));
  }

  static void Echo(const PinnedModel& pinned, const InferRequest& request, Completion completion) {
    InferResponse response;
    response.model_name = request.model_name;
    response.model_version = pinned.version();
    response.id = request.id;
    if (request.outputs.empty()) {
      for (const InferTensor& input : request.inputs) response.outputs.push_back(input);
    }
    for (size_t i = 0; i < request.outputs.size() && i < request.inputs.size(); ++i) {
      response.outputs.push_back(request.inputs[i]);
      response.outputs.back().name = request.outputs[i].name;
    }
    for (InferTensor& output : response.outputs) output.parameters.clear();
    completion.Send(std::move(response));
  }

  std::map<std::string, std::shared_ptr<FakePinned>> models;
  std::map<std::string, std::string, std::less<>> labels;  // the same for every model
  std::string unavailable;                                 // the reason why no model is ready; empty if they are
  bool on_demand = false;                                  // true if a request loads a model that is not ready
  std::vector<LoadDemand> demands;                         // for the test to answer
  std::function<base::Result<std::shared_ptr<const PinnedModel>>(const GraphCall&)> call_graph;
  std::unique_ptr<InferRequest> last;
  std::function<void(const PinnedModel&, const InferRequest&, Completion)> infer = Echo;
};

}  // namespace inferd::core
