#include "kserve/model/resolve/runtime_selection.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "kserve/model/api/annotations.h"

namespace inferd::model {

namespace {

constexpr std::array<std::string_view, 4> kProtocolOrder = {"v1", "v2", "grpc-v1", "grpc-v2"};

size_t ProtocolRank(std::string_view protocol) {
  return static_cast<size_t>(std::ranges::find(kProtocolOrder, protocol) - kProtocolOrder.begin());
}

// Returns the rank of the runtime's lowest protocol, or the last rank if it names none.
size_t LowestRank(const ServingRuntime& runtime) {
  size_t lowest = kProtocolOrder.size();
  for (const std::string& protocol : runtime.protocol_versions) lowest = std::min(lowest, ProtocolRank(protocol));
  return lowest;
}

int64_t PriorityFor(const ServingRuntime& runtime, std::string_view format) {
  for (const SupportedModelFormat& supported : runtime.formats) {
    if (supported.name == format && supported.priority.has_value()) return *supported.priority;
  }
  return std::numeric_limits<int64_t>::min();
}

std::string Listed(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + text;
  return list;
}

// The order of runtimes, with the reasons.
class RuntimeOrder {
 public:
  explicit RuntimeOrder(std::string_view format) : format_(format) {}

  bool operator()(const ServingRuntime* a, const ServingRuntime* b) const { return Compare(*a, *b).first < 0; }

  // Returns the reason why `first` comes before `second`.
  std::string_view Why(const ServingRuntime& first, const ServingRuntime& second) const {
    return Compare(first, second).second;
  }

 private:
  // Compares two runtimes. Negative if `a` comes first.
  std::pair<int, std::string_view> Compare(const ServingRuntime& a, const ServingRuntime& b) const {
    if (a.cluster_wide != b.cluster_wide) return {a.cluster_wide ? 1 : -1, "is of the namespace"};
    const int64_t a_priority = PriorityFor(a, format_);
    const int64_t b_priority = PriorityFor(b, format_);
    if (a_priority != b_priority) return {a_priority > b_priority ? -1 : 1, "has a higher priority for the format"};
    const size_t a_rank = LowestRank(a);
    const size_t b_rank = LowestRank(b);
    if (a_rank != b_rank) return {a_rank < b_rank ? -1 : 1, "has a lower protocol version"};
    const int age = a.metadata.creation_timestamp.compare(b.metadata.creation_timestamp);
    if (age != 0) return {-age, "is newer"};
    return {a.metadata.name.compare(b.metadata.name), "has a name that goes before"};
  }

  std::string_view format_;
};

// Returns the reason why the runtime cannot serve the format. Empty if it can. `automatic` is true if the model does
// not name the runtime.
std::string RefuseFormat(const ServingRuntime& runtime, const ModelFormat& format, bool automatic) {
  std::vector<std::string> names;
  std::vector<std::string> versions;
  bool only_by_name = false;
  for (const SupportedModelFormat& supported : runtime.formats) {
    if (std::ranges::find(names, supported.name) == names.end()) names.push_back(supported.name);
    if (supported.name != format.name) continue;
    versions.push_back("'" + supported.version.value_or("") + "'");
    if (format.version.has_value() && supported.version != format.version) continue;
    if (!automatic || supported.auto_select) return "";
    only_by_name = true;
  }
  if (only_by_name) {
    return "supports " + format.ToString() +
           " only for models that name it in `runtime`: autoSelect is not true for that format";
  }
  if (!versions.empty()) {
    return "supports " + format.name + " in version " + Listed(versions) + ", not '" + format.version.value_or("") +
           "'; versions are compared as texts";
  }
  return "does not support the format " + format.name + "; it supports " + (names.empty() ? "none" : Listed(names));
}

std::string RefuseProtocol(const ServingRuntime& runtime, const ModelSpec& model) {
  if (!model.protocol_version.has_value() || runtime.protocol_versions.empty()) return "";
  const bool speaks =
      std::ranges::find(runtime.protocol_versions, *model.protocol_version) != runtime.protocol_versions.end();
  return speaks ? "" : "does not speak " + *model.protocol_version + "; it speaks " + Listed(runtime.protocol_versions);
}

std::string RefuseDisabled(const ServingRuntime& runtime) {
  if (!runtime.disabled) return "";
  const std::string_view why = runtime.metadata.annotation(kDisabledReasonAnnotation);
  return "is disabled" + (why.empty() ? "" : ": " + std::string(why));
}

std::string RefuseFault(const ServingRuntime& runtime) {
  return runtime.fault.empty() ? "" : "cannot be used: " + runtime.fault;
}

// Returns the first reason not to serve the model. Format comes before protocol, because that reason helps most.
std::string Refuse(const ServingRuntime& runtime, const ModelSpec& model) {
  if (std::string format = RefuseFormat(runtime, model.format, true); !format.empty()) return format;
  if (std::string fault = RefuseFault(runtime); !fault.empty()) return fault;
  if (std::string disabled = RefuseDisabled(runtime); !disabled.empty()) return disabled;
  if (runtime.multi_model) return "is for several models in one server (multiModel)";
  return RefuseProtocol(runtime, model);
}

bool NamesFormat(const ServingRuntime& runtime, const std::string& format) {
  return std::ranges::find(runtime.formats, format, &SupportedModelFormat::name) != runtime.formats.end();
}

std::string DetailsOf(const RuntimeSelection& selection, const ModelSpec& model) {
  const std::string& format = model.format.name;
  std::string details;
  size_t others = 0;
  for (const RuntimeCandidate& candidate : selection.candidates) {
    if (!model.runtime.has_value() && !NamesFormat(*candidate.runtime, format)) {
      ++others;
    } else if (!candidate.reason.empty()) {
      details += (details.empty() ? "" : "; ") + candidate.runtime->metadata.name + " " + candidate.reason;
    }
  }
  if (others == 0) return details;
  const std::string counted = std::to_string(others) + (details.empty() ? "" : " other") + " runtime";
  return details + (details.empty() ? "" : "; ") + counted + (others == 1 ? " does" : "s do") +
         " not support the format " + format;
}

void Fail(RuntimeSelection& selection, std::string reason, std::string message, std::string event) {
  selection.runtime = nullptr;
  selection.failure_reason = std::move(reason);
  selection.failure_message = std::move(message);
  selection.failure_event = std::move(event);
}

void Select(RuntimeSelection& selection, const ServingRuntime& runtime, const ModelSpec& model) {
  if (runtime.containers.empty()) {
    return Fail(selection, "InvalidPredictorSpec", "No container configuration found in selected serving runtime",
                "no container configuration found in selected serving runtime");
  }
  selection.runtime = &runtime;
  const size_t lowest = LowestRank(runtime);
  selection.protocol_version =
      model.protocol_version.value_or(std::string(lowest < kProtocolOrder.size() ? kProtocolOrder[lowest] : ""));
}

void SelectNamed(RuntimeSelection& selection, const std::string& name, const ModelSpec& model,
                 std::span<const ServingRuntime* const> runtimes) {
  const auto named =
      std::ranges::find_if(runtimes, [&](const ServingRuntime* runtime) { return runtime->metadata.name == name; });
  if (named == runtimes.end()) {
    return Fail(selection, "RuntimeNotRecognized", "Waiting for runtime to become available",
                "No ServingRuntimes or ClusterServingRuntimes with the name: " + name);
  }
  RuntimeCandidate& candidate = selection.candidates.emplace_back(RuntimeCandidate{.runtime = *named, .reason = {}});
  const std::string specified = "specified runtime " + name;
  if (candidate.reason = RefuseFault(**named); !candidate.reason.empty()) {
    return Fail(selection, "InvalidPredictorSpec", "Specified runtime cannot be used", specified + " cannot be used");
  }
  if (candidate.reason = RefuseDisabled(**named); !candidate.reason.empty()) {
    return Fail(selection, "RuntimeDisabled", "Specified runtime is disabled", specified + " is disabled");
  }
  if (candidate.reason = RefuseProtocol(**named, model); !candidate.reason.empty()) {
    return Fail(selection, "NoSupportingRuntime", "Specified runtime does not support specified protocol version",
                specified + " does not support specified protocol version");
  }
  if (candidate.reason = RefuseFormat(**named, model.format, false); !candidate.reason.empty()) {
    return Fail(selection, "NoSupportingRuntime", "Specified runtime does not support specified framework/version",
                specified + " does not support specified framework/version");
  }
  candidate.supports = true;
  Select(selection, **named, model);
}

void SelectAutomatically(RuntimeSelection& selection, const ModelSpec& model,
                         std::span<const ServingRuntime* const> runtimes) {
  const RuntimeOrder order(model.format.name);
  const ServingRuntime* first = nullptr;
  for (const ServingRuntime* runtime : runtimes) {
    std::string reason = Refuse(*runtime, model);
    const bool supports = reason.empty();
    if (supports && first != nullptr) {
      reason = "could serve it, but " + first->metadata.name + " " + std::string(order.Why(*first, *runtime));
    }
    selection.candidates.push_back({runtime, supports, std::move(reason)});
    if (supports && first == nullptr) first = runtime;
  }
  if (first != nullptr) return Select(selection, *first, model);
  Fail(selection, "NoSupportingRuntime", "No runtime found to support specified framework/version",
       "no runtime found to support predictor with model type: {" + model.format.name + " " +
           model.format.version.value_or("<nil>") + "}");
}

}  // namespace

RuntimeSelection SelectRuntime(const ModelSpec& model, std::string_view namespace_name,
                               std::span<const ServingRuntime* const> runtimes) {
  std::vector<const ServingRuntime*> ordered;
  std::ranges::copy_if(runtimes, std::back_inserter(ordered), [&](const ServingRuntime* runtime) {
    return runtime->cluster_wide || runtime->metadata.namespace_name == namespace_name;
  });
  std::ranges::stable_sort(ordered, RuntimeOrder(model.format.name));
  RuntimeSelection selection;
  if (model.runtime.has_value()) {
    SelectNamed(selection, *model.runtime, model, ordered);
  } else {
    SelectAutomatically(selection, model, ordered);
  }
  if (selection.runtime == nullptr) selection.failure_details = DetailsOf(selection, model);
  return selection;
}

}  // namespace inferd::model
