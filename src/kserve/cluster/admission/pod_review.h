#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "kserve/cluster/admission/admission_review.h"
#include "kserve/cluster/objects/cluster_view.h"

namespace inferd::cluster {

// The inputs of ReviewPod. Both functions are called on the caller's thread; `find` blocks.
struct PodReviewContext {
  std::function<std::shared_ptr<const Configuration>()> configuration;
  // Returns a Secret or a ServiceAccount (ReadPodObject). Null if there is none. Returns an error when `stop` is
  // requested.
  std::function<kubernetes::ApiResult<kubernetes::ObjectPointer>(
      const std::string& kind, const kubernetes::ObjectName& name, const std::stop_token& stop)>
      find;
};

// KServe's webhook /mutate-pods (KServe 0.10: the pod mutator). A new pod with the label
// serving.kserve.io/inferenceservice receives whatever it lacks of model::InjectPod's result. A pod that lacks nothing,
// such as one from a template of the controller, gets no patch and causes no lookups.
//
// A denial names the field or the object. 400 if the pod cannot be injected into; kubectl does not show the text of a
// 422. 500 if the objects that credentials come from could not be read before `stop` was requested, or if
// inferenceservice-config is invalid. Thread-safe if the context is.
AdmissionResponse ReviewPod(const AdmissionRequest& request, const PodReviewContext& context,
                            const std::stop_token& stop);

}  // namespace inferd::cluster
