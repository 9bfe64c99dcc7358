#include "kserve/cluster/admission/review.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/admission/admission_review.h"
#include "kserve/cluster/admission/patch_between.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/api/object.h"
#include "kserve/model/api/unknown_fields.h"

namespace inferd::cluster {

namespace {

using manifest::Kind;
using manifest::Value;
using model::AdmissionContext;

constexpr size_t kProblemsMax = 10;  // per message

enum class Verb : uint8_t { kMutate, kValidate, kMutatePod };

struct Webhook {
  std::string_view path;
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  Verb verb;
};

constexpr std::string_view kGroup = "serving.kserve.io";
// The webhooks of runtimes are those of KServe 0.11.
constexpr std::array<Webhook, 7> kWebhooks = {{
    {"/mutate-serving-kserve-io-v1beta1-inferenceservice", kGroup, "v1beta1", "InferenceService", Verb::kMutate},
    {"/validate-serving-kserve-io-v1beta1-inferenceservice", kGroup, "v1beta1", "InferenceService", Verb::kValidate},
    {"/validate-serving-kserve-io-v1alpha1-trainedmodel", kGroup, "v1alpha1", "TrainedModel", Verb::kValidate},
    {"/validate-serving-kserve-io-v1alpha1-inferencegraph", kGroup, "v1alpha1", "InferenceGraph", Verb::kValidate},
    {"/validate-serving-kserve-io-v1alpha1-servingruntime", kGroup, "v1alpha1", "ServingRuntime", Verb::kValidate},
    {"/validate-serving-kserve-io-v1alpha1-clusterservingruntime", kGroup, "v1alpha1", "ClusterServingRuntime",
     Verb::kValidate},
    {"/mutate-pods", "", "v1", "Pod", Verb::kMutatePod},
}};

const Webhook* FindWebhook(std::string_view path) {
  const auto* const found = std::ranges::find(kWebhooks, path, &Webhook::path);
  return found == kWebhooks.end() ? nullptr : found;
}

// Removes the annotation of the mode, and the annotations themselves if the object had none before.
void DropMode(Value& defaulted, const Value& before) {
  Value* const metadata = defaulted.Find("metadata");
  Value* const annotations = metadata == nullptr ? nullptr : metadata->Find("annotations");
  if (annotations == nullptr) return;
  annotations->Remove(model::kDeploymentModeAnnotation);
  const Value* const given = manifest::FieldAt(before, {"metadata", "annotations"});
  if (given == nullptr) metadata->Remove("annotations");
}

AdmissionResponse Mutate(const AdmissionRequest& request, const AdmissionContext& context) {
  AdmissionResponse response{.uid = request.uid};
  Value defaulted = model::WithDefaults(request.object, context);
  // An existing service keeps the mode in which it is served, whatever the current default is. The controller decides
  // that.
  if (request.operation == "UPDATE" &&
      manifest::FieldAt(request.object, {"metadata", "annotations", model::kDeploymentModeAnnotation}) == nullptr) {
    DropMode(defaulted, request.object);
  }
  Value patch = PatchBetween(request.object, defaulted);
  if (!patch.items().empty()) response.patch = std::move(patch);
  return response;
}

std::string TextOfAll(const manifest::Problems& problems) {
  std::string text;
  for (size_t i = 0; i < problems.size() && i < kProblemsMax; ++i) {
    if (i > 0) text += ", ";
    text += (problems[i].path.empty() ? "" : problems[i].path + ": ") + problems[i].message;
  }
  if (problems.size() > kProblemsMax) text += ", and " + std::to_string(problems.size() - kProblemsMax) + " more";
  return text;
}

AdmissionResponse Validate(const AdmissionRequest& request, const AdmissionContext& context) {
  const Value* const live = request.old_object.is(Kind::kMap) ? &request.old_object : nullptr;
  const model::Admitted admitted = model::Admit(request.object, live, context);
  if (!admitted.unreadable.empty()) return Denial(request.uid, 422, "Invalid", TextOfAll(admitted.unreadable));
  if (!admitted.denial.empty()) return Denial(request.uid, 403, admitted.denial, admitted.denial);
  AdmissionResponse response{.uid = request.uid};
  for (const model::UnknownField& field : model::FindUnknownFields(model::ReadObject(request.object))) {
    response.warnings.push_back("unknown field \"" + field.path + "\"");
  }
  return response;
}

// Copies the namespace and the name from the review if the object lacks them: an object with a generateName has no name
// until the server creates one.
void Complete(AdmissionRequest& request) {
  Value* const metadata = request.object.Find("metadata");
  if (metadata == nullptr || !metadata->is(Kind::kMap)) return;
  if (metadata->Find("namespace") == nullptr && !request.namespace_name.empty()) {
    metadata->Set("namespace", Value::String(request.namespace_name));
  }
  if (metadata->Find("name") == nullptr && !request.name.empty()) metadata->Set("name", Value::String(request.name));
}

// Returns what is wrong with the kind of the request or of its object. Empty if nothing is.
std::string FaultOfKind(const Webhook& webhook, const AdmissionRequest& request) {
  const std::string group = webhook.group.empty() ? "" : std::string(webhook.group) + "/";
  const std::string api_version = group + std::string(webhook.version);
  const std::string wanted = ": must be " + api_version + " " + std::string(webhook.kind);
  if (request.group != webhook.group || request.version != webhook.version || request.kind != webhook.kind) {
    return "request.kind" + wanted + ", not " + request.group + "/" + request.version + " " + request.kind;
  }
  if (!request.object.is(Kind::kMap)) return {};
  const bool is = manifest::TextAt(request.object, {"apiVersion"}) == api_version &&
                  manifest::TextAt(request.object, {"kind"}) == webhook.kind;
  return is ? "" : "request.object" + wanted;
}

AdmissionResponse Answer(const Webhook& webhook, AdmissionRequest request, const ReviewContext& context,
                         const std::stop_token& stop) {
  if (std::string fault = FaultOfKind(webhook, request); !fault.empty()) {
    return Denial(request.uid, 400, "BadRequest", std::move(fault));
  }
  const bool written = request.operation == "CREATE" || request.operation == "UPDATE";
  if (!written || !request.subresource.empty() || request.is_being_deleted()) return {.uid = request.uid};
  if (webhook.verb == Verb::kMutatePod) return ReviewPod(request, context.pods, stop);
  if (webhook.verb == Verb::kMutate) return Mutate(request, context.objects);
  Complete(request);
  return Validate(request, context.objects);
}

}  // namespace

ReviewAnswer Review(std::string_view path, std::string_view body, const ReviewContext& context,
                    const std::stop_token& stop) {
  const Webhook* const webhook = FindWebhook(path);
  if (webhook == nullptr) return {404, StatusJson(404, "NotFound", "there is no such webhook")};
  auto request = ReadReview(body);
  if (request.has_value()) return {200, ToJson(Answer(*webhook, *std::move(request), context, stop))};
  const ReviewFault& fault = request.error();
  if (fault.uid.empty()) return {400, StatusJson(400, "BadRequest", fault.message)};
  return {200, ToJson(Denial(fault.uid, 400, "BadRequest", fault.message))};
}

bool LooksUp(std::string_view path) {
  const Webhook* const webhook = FindWebhook(path);
  return webhook != nullptr && webhook->verb == Verb::kMutatePod;
}

std::vector<std::string_view> WebhookPaths() {
  std::vector<std::string_view> paths;
  for (const Webhook& webhook : kWebhooks) paths.push_back(webhook.path);
  return paths;
}

}  // namespace inferd::cluster
