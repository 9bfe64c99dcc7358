#include "kserve/cluster/admission/pod_review.h"

#include <optional>
#include <string_view>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/admission/patch_between.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/pods/inject/pod_injection.h"

namespace inferd::cluster {

namespace {

using manifest::Value;

// Looks up the objects that the credentials of one pod come from.
class PodLookups final {
 public:
  PodLookups(const AdmissionRequest& request, const PodReviewContext& context, const std::stop_token& stop)
      : request_(request), context_(context), stop_(stop) {}

  std::optional<Value> Find(std::string_view kind, std::string_view name) {
    // An earlier lookup failed; the review is denied anyway.
    if (!failure_.empty()) return std::nullopt;
    const auto found = context_.find(std::string(kind), {request_.namespace_name, std::string(name)}, stop_);
    if (found.has_value()) return *found == nullptr ? std::nullopt : std::optional<Value>(**found);
    failure_ = FieldOf(kind) + ": " + std::string(kind) + " \"" + std::string(name) + "\" of the namespace \"" +
               request_.namespace_name + "\" cannot be read: " +
               (stop_.stop_requested() ? "the API server did not answer in time" : found.error().ToString());
    return std::nullopt;
  }

  // Returns the first lookup error. Empty if all lookups succeeded.
  const std::string& failure() const { return failure_; }

 private:
  // Returns the pod's field that names the object, or that names its ServiceAccount.
  std::string FieldOf(std::string_view kind) const {
    const bool specified =
        manifest::TextAt(request_.object, {"metadata", "annotations", model::kStorageSpecAnnotation}) == "true";
    return specified && kind == "Secret" ? "metadata.annotations." + std::string(model::kStorageSpecAnnotation)
                                         : "spec.serviceAccountName";
  }

  const AdmissionRequest& request_;
  const PodReviewContext& context_;
  const std::stop_token& stop_;
  std::string failure_;
};

}  // namespace

AdmissionResponse ReviewPod(const AdmissionRequest& request, const PodReviewContext& context,
                            const std::stop_token& stop) {
  AdmissionResponse response{.uid = request.uid};
  const bool is_new = request.operation == "CREATE";
  if (!is_new || manifest::FieldAt(request.object, {"metadata", "labels", model::kInferenceServiceLabel}) == nullptr) {
    return response;
  }
  const std::shared_ptr<const Configuration> configuration = context.configuration();
  PodLookups lookups(request, context, stop);
  const auto injected = model::InjectPodDocument(
      request.object, request.namespace_name,
      {.config = configuration->config,
       .find = [&](std::string_view kind, std::string_view name) { return lookups.Find(kind, name); }});
  Value patch = Value::List();
  if (injected.has_value()) patch = PatchBetween(request.object, *injected);
  if (!lookups.failure().empty()) return Denial(request.uid, 500, "InternalError", lookups.failure());
  if (injected.has_value() && patch.items().empty()) return response;
  if (!configuration->problems.empty()) {
    return Denial(request.uid, 500, "InternalError",
                  "inferenceservice-config: " + configuration->problems.front().ToString(""));
  }
  if (!injected.has_value()) return Denial(request.uid, 400, "BadRequest", injected.error().message());
  response.patch = std::move(patch);
  return response;
}

}  // namespace inferd::cluster
