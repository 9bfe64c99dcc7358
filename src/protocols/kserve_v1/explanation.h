#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "protocols/kserve_v1/handler.h"
#include "serving/core/dispatcher.h"

namespace inferd::kserve_v1 {

// The call of an explainer for :explain. The model's configuration names the explainer, which is called after the model
// has answered. Each of its inputs is the request's input of that name, or else the model's output of that name. Shared
// by the call and its callbacks; the steps run one after the other.
class Explanation final {
 public:
  // UNIMPLEMENTED if `model`'s configuration names no explainer. Also errors of Dispatcher::Find() for the explainer.
  static base::Result<std::shared_ptr<Explanation>> Begin(const core::PinnedModel& model, std::string_view name,
                                                          core::Dispatcher& dispatcher);

  // Returns the completion for `request`. `done` then gets the outputs of both: the model's, then the explainer's.
  static core::Completion After(std::shared_ptr<Explanation> self, const core::InferRequest& request,
                                const CallModel& call_model, core::Completion done);

  // Returns how many of the outputs are the model's.
  size_t predictions() const { return predictions_; }

 private:
  Explanation(std::string model, std::string explainer, std::string version,
              std::shared_ptr<const core::PinnedModel> pinned)
      : model_(std::move(model)),
        explainer_(std::move(explainer)),
        version_(std::move(version)),
        pinned_(std::move(pinned)) {}

  std::string Context() const { return "explainer '" + explainer_ + "' of model '" + model_ + "'"; }
  // Copies a request without its tensors.
  std::unique_ptr<core::InferRequest> NewRequest(const core::InferRequest& request) const;
  // INTERNAL if the explainer has an input that neither the request nor the response has.
  base::Status AddInputs(const core::InferTensor* begin, const core::InferTensor* end,
                         const core::InferResponse& response, core::InferRequest& request) const;
  void Add(core::InferResponse&& explained, core::InferResponse& response);

  const std::string model_;
  const std::string explainer_;
  const std::string version_;                              // empty if the server chooses
  const std::shared_ptr<const core::PinnedModel> pinned_;  // the explainer
  size_t predictions_ = 0;
};

}  // namespace inferd::kserve_v1
