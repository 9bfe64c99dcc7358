#include <algorithm>
#include <map>

#include "kserve/model/resolve/document_problems.h"
#include "kserve/model/resolve/storage_uri.h"
#include "kserve/model/resolve/validation.h"

namespace inferd::model {

namespace {

// KServe 0.11: returns true if both runtimes could be candidates for the same protocol.
bool Overlap(const ServingRuntime& a, const ServingRuntime& b) {
  if (a.protocol_versions.empty() || b.protocol_versions.empty()) return true;
  return std::ranges::any_of(a.protocol_versions, [&](const std::string& protocol) {
    return std::ranges::find(b.protocol_versions, protocol) != b.protocol_versions.end();
  });
}

bool IsOfSameList(const ServingRuntime& a, const ServingRuntime& b) {
  return a.cluster_wide == b.cluster_wide && a.metadata.namespace_name == b.metadata.namespace_name;
}

void ValidateOwnPriorities(const ServingRuntime& runtime, DocumentProblems& problems) {
  std::map<std::string_view, int64_t> priorities;
  for (const SupportedModelFormat& format : runtime.formats) {
    if (!format.auto_select || !format.priority.has_value()) continue;
    const auto [known, is_new] = priorities.emplace(format.name, *format.priority);
    if (is_new || known->second == *format.priority) continue;
    problems.Add({"spec", "supportedModelFormats"}, "different priorities assigned for the model format " +
                                                        format.name + " under the servingruntime " +
                                                        runtime.metadata.name);
  }
}

void ValidatePriorities(const ServingRuntime& runtime, const ServingRuntime& other, DocumentProblems& problems) {
  for (const SupportedModelFormat& format : runtime.formats) {
    if (!format.auto_select || !format.priority.has_value()) continue;
    const bool same = std::ranges::any_of(other.formats, [&](const SupportedModelFormat& theirs) {
      return theirs.auto_select && theirs.name == format.name && theirs.version == format.version &&
             theirs.priority == format.priority;
    });
    if (!same) continue;
    std::string message = "same priority assigned for the model format " + format.name + " in the servingruntimes " +
                          other.metadata.name + " and " + runtime.metadata.name;
    if (!runtime.cluster_wide) message += " in namespace " + runtime.metadata.namespace_name;
    return problems.Add({"spec", "supportedModelFormats"}, std::move(message));
  }
}

}  // namespace

manifest::Problems Validate(const ServingRuntime& runtime, std::span<const ServingRuntime* const> others) {
  DocumentProblems problems(runtime.document);
  if (runtime.containers.empty()) {
    problems.Add({"spec", "containers"}, "no container configuration found in selected serving runtime");
  }
  ValidateOwnPriorities(runtime, problems);
  if (runtime.disabled) return problems.Take();
  for (const ServingRuntime* other : others) {
    if (other == &runtime || other->disabled || other->metadata.name == runtime.metadata.name) continue;
    if (IsOfSameList(runtime, *other) && Overlap(runtime, *other)) ValidatePriorities(runtime, *other, problems);
  }
  return problems.Take();
}

manifest::Problems Validate(const TrainedModel& model, TrainedModelPlaces places) {
  DocumentProblems problems(model.document);
  const std::string& name = model.metadata.name;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (!name.empty() && !std::ranges::all_of(name, is_allowed)) {
    problems.Add({"metadata", "name"},
                 "the Trained Model \"" + name +
                     "\" is invalid: a Trained Model name must consist of alphanumeric characters, '_', or '-'. (e.g. "
                     "\"my-Name\" or \"abc_123\", regex used for validation is '[a-zA-Z0-9_-]+')");
  }
  if (!model.storage_uri.empty()) {
    std::string fault = CheckTrainedModelUri(name, model.storage_uri, places);
    if (!fault.empty()) problems.Add({"spec", "model", "storageUri"}, std::move(fault));
  }
  return problems.Take();
}

}  // namespace inferd::model
