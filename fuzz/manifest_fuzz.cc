// Fuzzes Kubernetes objects as YAML and as JSON. An accepted object must print in both forms as text that reads back
// equal. The types and decisions of the control plane must handle it without a failure.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "fuzz/require.h"
#include "kserve/model/reconcile/desired_objects.h"
#include "kserve/model/resolve/review.h"

namespace inferd::fuzz {
namespace {

using manifest::Value;

// Printed text may exceed the limits of the input a little, because anchors are written out.
constexpr manifest::Limits kPrintedLimits = {.file_bytes_max = 64 << 20, .depth_max = 80, .bytes_max = 64'000'000};
// Small limits, so that no input takes long.
constexpr manifest::Limits kLimits = {.nodes_max = 20'000, .bytes_max = 1'000'000};

void RequireSame(const base::Result<std::vector<Value>>& printed, const Value& document, std::string_view form) {
  const std::string what(form);
  if (!printed.has_value()) Fail("printed " + what + " does not read: " + printed.error().message());
  if (document.is(manifest::Kind::kNull)) return;
  Require(printed->size() == 1 && printed->front() == document, "printed " + what + " reads back differently");
}

void CheckPrinted(const Value& document) {
  RequireSame(manifest::ReadYaml(manifest::ToYaml(document), "printed", kPrintedLimits), document, "YAML");
  RequireSame(manifest::ReadJson(manifest::ToJson(document), "printed", kPrintedLimits), document, "JSON");
}

// Checks that all desired objects of a service print, and read back equal.
void CheckDesired(const model::InferenceService& service, const std::vector<model::Object>& objects) {
  std::vector<const model::ServingRuntime*> runtimes;
  std::vector<const model::TrainedModel*> models;
  for (const model::Object& object : objects) {
    if (const auto* runtime = std::get_if<model::ServingRuntime>(&object.typed)) runtimes.push_back(runtime);
    if (const auto* model = std::get_if<model::TrainedModel>(&object.typed)) models.push_back(model);
  }
  model::InferenceServiceConfig config;
  config.ingress.gateway = config.ingress.service = "gateway";
  const auto desired = model::MakeDesiredObjects(service, runtimes, models, config, {});
  if (!desired.has_value()) return Require(!desired.error().event.empty(), "a failure without words");
  for (const manifest::Value& object : desired->objects) CheckPrinted(object);
}

void CheckDecisions(std::vector<Value> documents) {
  const std::vector<model::Object> objects = model::ReadObjects(std::move(documents));
  std::vector<const model::Object*> pointers;
  for (const model::Object& object : objects) pointers.push_back(&object);
  for (const model::ObjectReview& review : model::ReviewObjects(pointers, {})) {
    for (const manifest::Problem& problem : review.problems)
      Require(!problem.message.empty(), "a problem without words");
    if (const auto* service = std::get_if<model::InferenceService>(&review.object->typed)) {
      CheckDesired(*service, objects);
    }
    if (!review.selection.has_value()) continue;
    const bool failed = !review.selection->failure_event.empty();
    Require(failed == (review.selection->runtime == nullptr), "a selection that neither failed nor has a runtime");
  }
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  const std::vector<char> copy(data, data + size);
  const std::string_view text(copy.data(), copy.size());
  for (auto documents : {manifest::ReadYaml(text, "f", fuzz::kLimits), manifest::ReadJson(text, "f", fuzz::kLimits)}) {
    if (!documents.has_value()) {
      fuzz::RequireRefused(documents.error());
      continue;
    }
    for (const manifest::Value& document : *documents) fuzz::CheckPrinted(document);
    fuzz::CheckDecisions(*std::move(documents));
  }
  return 0;
}
