#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "protocols/kserve_v1/handler.h"
#include "serving/core/dispatcher.h"

namespace inferd::kserve_v1 {

// What a call of :explain asks of the model that its model's configuration names as explainer. That one is asked when
// the model has answered: each of its inputs is the request's input of that name, or else the answer's output of that
// name. Shared by the call and what it waits for; its steps come one after the other.
class Explanation final {
 public:
  // UNIMPLEMENTED: `model`'s configuration names no explainer. Errors of Dispatcher::Find, of the explainer.
  static base::Result<std::shared_ptr<Explanation>> Begin(const core::PinnedModel& model, std::string_view name,
                                                          core::Dispatcher& dispatcher);

  // What `request` is to be completed with, so that `done` has the outputs of both: the model's, then the explainer's.
  static core::Completion After(std::shared_ptr<Explanation> self, const core::InferRequest& request,
                                const CallModel& call_model, core::Completion done);

  // How many of these are the model's.
  size_t predictions() const { return predictions_; }

 private:
  Explanation(std::string model, std::string explainer, std::string version,
              std::shared_ptr<const core::PinnedModel> pinned)
      : model_(std::move(model)),
        explainer_(std::move(explainer)),
        version_(std::move(version)),
        pinned_(std::move(pinned)) {}

  std::string Context() const { return "explainer '" + explainer_ + "' of model '" + model_ + "'"; }
  // Without its tensors.
  std::unique_ptr<core::InferRequest> NewRequest(const core::InferRequest& request) const;
  // INTERNAL: the explainer has an input that neither the request nor the answer has.
  base::Status AddInputs(const core::InferTensor* begin, const core::InferTensor* end,
                         const core::InferResponse& response, core::InferRequest& request) const;
  void Add(core::InferResponse&& explained, core::InferResponse& response);

  const std::string model_;
  const std::string explainer_;
  const std::string version_;                              // empty: the server chooses
  const std::shared_ptr<const core::PinnedModel> pinned_;  // the explainer
  size_t predictions_ = 0;
};

}  // namespace inferd::kserve_v1
