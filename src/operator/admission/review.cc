#include "operator/admission/review.h"

#include <algorithm>
#include <array>
#include <utility>

#include "controlplane/api/object.h"
#include "controlplane/api/unknown_fields.h"
#include "manifest/value_path.h"
#include "operator/admission/admission_review.h"
#include "operator/admission/patch_between.h"

namespace inferd::operators {

namespace {

using controlplane::AdmissionContext;
using manifest::Kind;
using manifest::Value;

constexpr size_t kProblemsMax = 10;  // of one message

AdmissionResponse Mutate(const AdmissionRequest& request, const AdmissionContext& context);
AdmissionResponse Validate(const AdmissionRequest& request, const AdmissionContext& context);

struct Webhook {
  std::string_view path;
  std::string_view version;
  std::string_view kind;
  AdmissionResponse (*answer)(const AdmissionRequest& request, const AdmissionContext& context);
};

constexpr std::string_view kGroup = "serving.kserve.io";
// Those of runtimes are KServe 0.11's.
constexpr std::array<Webhook, 6> kWebhooks = {{
    {"/mutate-serving-kserve-io-v1beta1-inferenceservice", "v1beta1", "InferenceService", &Mutate},
    {"/validate-serving-kserve-io-v1beta1-inferenceservice", "v1beta1", "InferenceService", &Validate},
    {"/validate-serving-kserve-io-v1alpha1-trainedmodel", "v1alpha1", "TrainedModel", &Validate},
    {"/validate-serving-kserve-io-v1alpha1-inferencegraph", "v1alpha1", "InferenceGraph", &Validate},
    {"/validate-serving-kserve-io-v1alpha1-servingruntime", "v1alpha1", "ServingRuntime", &Validate},
    {"/validate-serving-kserve-io-v1alpha1-clusterservingruntime", "v1alpha1", "ClusterServingRuntime", &Validate},
}};

AdmissionResponse Mutate(const AdmissionRequest& request, const AdmissionContext& context) {
  AdmissionResponse response{.uid = request.uid};
  Value patch = PatchBetween(request.object, controlplane::WithDefaults(request.object, context));
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
  const controlplane::Admitted admitted = controlplane::Admit(request.object, live, context);
  if (!admitted.unreadable.empty()) return Denial(request.uid, 422, "Invalid", TextOfAll(admitted.unreadable));
  if (!admitted.denial.empty()) return Denial(request.uid, 403, admitted.denial, admitted.denial);
  AdmissionResponse response{.uid = request.uid};
  for (const controlplane::UnknownField& field :
       controlplane::FindUnknownFields(controlplane::ReadObject(request.object))) {
    response.warnings.push_back("unknown field \"" + field.path + "\"");
  }
  return response;
}

// What the review says of its object, where the object itself says nothing: where it is to be, and what it is called
// for as long as the server has not made a name of its generateName.
void Complete(AdmissionRequest& request) {
  Value* const metadata = request.object.Find("metadata");
  if (metadata == nullptr || !metadata->is(Kind::kMap)) return;
  if (metadata->Find("namespace") == nullptr && !request.namespace_name.empty()) {
    metadata->Set("namespace", Value::String(request.namespace_name));
  }
  if (metadata->Find("name") == nullptr && !request.name.empty()) metadata->Set("name", Value::String(request.name));
}

// What is wrong with the kind that is asked about, or with that of the object; empty: nothing.
std::string FaultOfKind(const Webhook& webhook, const AdmissionRequest& request) {
  const std::string api_version = std::string(kGroup) + "/" + std::string(webhook.version);
  const std::string wanted = ": must be " + api_version + " " + std::string(webhook.kind);
  if (request.group != kGroup || request.version != webhook.version || request.kind != webhook.kind) {
    return "request.kind" + wanted + ", not " + request.group + "/" + request.version + " " + request.kind;
  }
  if (!request.object.is(Kind::kMap)) return {};
  const bool is = manifest::TextAt(request.object, {"apiVersion"}) == api_version &&
                  manifest::TextAt(request.object, {"kind"}) == webhook.kind;
  return is ? "" : "request.object" + wanted;
}

AdmissionResponse Answer(const Webhook& webhook, AdmissionRequest request, const AdmissionContext& context) {
  if (std::string fault = FaultOfKind(webhook, request); !fault.empty()) {
    return Denial(request.uid, 400, "BadRequest", std::move(fault));
  }
  const bool written = request.operation == "CREATE" || request.operation == "UPDATE";
  if (!written || !request.subresource.empty() || request.is_being_deleted()) return {.uid = request.uid};
  if (webhook.answer == &Validate) Complete(request);
  return webhook.answer(request, context);
}

}  // namespace

ReviewAnswer Review(std::string_view path, std::string_view body, const AdmissionContext& context) {
  const auto* const webhook = std::ranges::find(kWebhooks, path, &Webhook::path);
  if (webhook == kWebhooks.end()) return {404, StatusJson(404, "NotFound", "there is no such webhook")};
  auto request = ReadReview(body);
  if (request.has_value()) return {200, ToJson(Answer(*webhook, *std::move(request), context))};
  const ReviewFault& fault = request.error();
  if (fault.uid.empty()) return {400, StatusJson(400, "BadRequest", fault.message)};
  return {200, ToJson(Denial(fault.uid, 400, "BadRequest", fault.message))};
}

std::vector<std::string_view> WebhookPaths() {
  std::vector<std::string_view> paths;
  for (const Webhook& webhook : kWebhooks) paths.push_back(webhook.path);
  return paths;
}

}  // namespace inferd::operators
