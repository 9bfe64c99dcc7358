#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "kserve/cluster/admission/admission_review.h"
#include "kserve/cluster/objects/cluster_view.h"

namespace inferd::cluster {

// By what pods are given what they lack. Both functions are called on the caller's thread; `find` blocks.
struct PodReviewContext {
  std::function<std::shared_ptr<const Configuration>()> configuration;
  // A Secret or a ServiceAccount (ReadPodObject); null: there is none. Ends with an error when `stop` is requested.
  std::function<kubernetes::ApiResult<kubernetes::ObjectPointer>(
      const std::string& kind, const kubernetes::ObjectName& name, const std::stop_token& stop)>
      find;
};

// KServe's webhook /mutate-pods (KServe 0.10: the pod mutator): a new pod of a service, which the label
// serving.kserve.io/inferenceservice names, is given what it lacks of what model::InjectPod puts into pods. A
// pod that lacks nothing, as one of a template that the controller has written, has no patch, and nothing is looked
// up for it.
//
// Denials, each by the name of the field or the object: 400, the pod cannot be injected into (kubectl shows no text of
// a 422); 500, what its credentials are made of cannot be read, or has not been before `stop` was requested, or
// inferenceservice-config is wrong. Thread-safe where the context is.
AdmissionResponse ReviewPod(const AdmissionRequest& request, const PodReviewContext& context,
                            const std::stop_token& stop);

}  // namespace inferd::cluster
