#include "protocols/kserve_v1/explanation.h"

#include <algorithm>
#include <utility>

#include "config/model/model_config.h"
#include "protocols/v2/single_response.h"

namespace inferd::kserve_v1 {

base::Result<std::shared_ptr<Explanation>> Explanation::Begin(const core::PinnedModel& model, std::string_view name,
                                                              core::Dispatcher& dispatcher) {
  const config::ModelConfig* const configuration = model.configuration();
  if (configuration == nullptr || !configuration->explainer.has_value()) {
    return std::unexpected(base::Unimplemented("Model with name " + std::string(name) +
                                               " has no explainer: its configuration names none"));
  }
  const config::Dependency& explainer = *configuration->explainer;
  std::string version = explainer.version.has_value() ? std::to_string(*explainer.version) : std::string();
  auto pinned = dispatcher.Find(explainer.model, version);
  if (!pinned.has_value()) {
    return std::unexpected(pinned.error().WithContext("explainer of model '" + std::string(name) + "'"));
  }
  return std::shared_ptr<Explanation>(
      new Explanation(std::string(name), explainer.model, std::move(version), *std::move(pinned)));
}

std::unique_ptr<core::InferRequest> Explanation::NewRequest(const core::InferRequest& request) const {
  auto asked = std::make_unique<core::InferRequest>();
  asked->model_name = explainer_;
  asked->model_version = version_;
  asked->id = request.id;
  asked->received_ns = request.received_ns;
  asked->deadline_ns = request.deadline_ns;
  asked->traceparent = request.traceparent;
  asked->cancel = request.cancel;
  return asked;
}

base::Status Explanation::AddInputs(const core::InferTensor* begin, const core::InferTensor* end,
                                    const core::InferResponse& response, core::InferRequest& request) const {
  for (const core::TensorSpec& spec : pinned_->signature().inputs) {
    const core::InferTensor* found =
        std::find_if(begin, end, [&](const auto& input) { return input.name == spec.name; });
    if (found == end) {
      const auto output = std::ranges::find(response.outputs, spec.name, &core::InferTensor::name);
      found = output == response.outputs.end() ? nullptr : &*output;
    }
    if (found != nullptr) {
      request.inputs.push_back(*found);
    } else if (!spec.optional) {
      return base::Internal(Context() + " has an input '" + spec.name + "', which is neither of the model's inputs " +
                            "in the request nor of its outputs");
    }
  }
  return {};
}

void Explanation::Add(core::InferResponse&& explained, core::InferResponse& response) {
  predictions_ = response.outputs.size();
  std::ranges::move(explained.outputs, std::back_inserter(response.outputs));
}

core::Completion Explanation::After(std::shared_ptr<Explanation> self, const core::InferRequest& request,
                                    const CallModel& call_model, core::Completion done) {
  auto asked = self->NewRequest(request);
  std::vector<core::InferTensor> inputs(request.inputs.begin(), request.inputs.end());
  return core::Completion([self = std::move(self), asked = std::move(asked), inputs = std::move(inputs), &call_model,
                           done = std::move(done),
                           predicted = v2::SingleResponse()](core::InferResponse&& response) mutable {
    if (!predicted.Add(std::move(response))) return;
    core::InferResponse& answer = predicted.response();
    if (predicted.many()) {
      return done.Fail(base::Unimplemented("the model gave more than one response, which HTTP cannot carry"));
    }
    if (!answer.status.ok()) return done.Send(std::move(answer));
    base::Status status = self->AddInputs(inputs.data(), inputs.data() + inputs.size(), answer, *asked);
    if (!status.ok()) return done.Fail(std::move(status));
    call_model(std::move(asked),
               core::Completion([self = std::move(self), answer = std::move(answer), done = std::move(done),
                                 explained = v2::SingleResponse()](core::InferResponse&& explanation) mutable {
                 if (!explained.Add(std::move(explanation))) return;
                 core::InferResponse& reasons = explained.response();
                 if (explained.many()) {
                   return done.Fail(base::Unimplemented(self->Context() + " gave more than one response"));
                 }
                 if (!reasons.status.ok()) {
                   reasons.status = reasons.status.WithContext(self->Context());
                   return done.Send(std::move(reasons));
                 }
                 self->Add(std::move(reasons), answer);
                 done.Send(std::move(answer));
               }));
  });
}

}  // namespace inferd::kserve_v1
