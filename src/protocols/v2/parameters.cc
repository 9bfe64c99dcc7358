#include "protocols/v2/parameters.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace inferd::v2 {

namespace {

using core::ParameterValue;

base::Status WrongType(std::string_view owner, std::string_view name, std::string_view expected,
                       const ParameterValue& value) {
  std::string text;
  if (!owner.empty()) text.append(owner).append(": ");
  text.append("parameter '")
      .append(name)
      .append("': expected ")
      .append(expected)
      .append(", got ")
      .append(Describe(value));
  return base::InvalidArgument(std::move(text));
}

// The limit on a textual sequence id, in bytes; as in Triton.
constexpr size_t kSequenceIdBytesMax = 128;

base::Status TakeSequenceId(const ParameterValue& value, core::Sequence& sequence) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (text->size() > kSequenceIdBytesMax) {
      return base::InvalidArgument("parameter 'sequence_id' has " + std::to_string(text->size()) + " bytes; at most " +
                                   std::to_string(kSequenceIdBytesMax) + " are allowed");
    }
    sequence.id = *text;
    return base::OkStatus();
  }
  const std::optional<uint64_t> number = AsUnsigned(value);
  if (!number) return WrongType("", "sequence_id", "an unsigned 64-bit integer or a string", value);
  sequence.id = *number;
  return base::OkStatus();
}

}  // namespace

base::Result<bool> TakeKnownParameter(std::string_view name, const ParameterValue& value, core::InferRequest& request,
                                      RequestSettings& settings) {
  if (name == "priority" || name == "timeout") {
    const std::optional<uint64_t> number = AsUnsigned(value);
    if (!number) return std::unexpected(WrongType("", name, "an unsigned 64-bit integer", value));
    (name == "priority" ? request.priority : request.timeout_us) = *number;
    return true;
  }
  if (name == "binary_data_output") {
    const auto* flag = std::get_if<bool>(&value);
    if (flag == nullptr) return std::unexpected(WrongType("", name, "true or false", value));
    settings.binary_data_output = *flag;
    return true;
  }
  if (name == "sequence_id") {
    INFERD_RETURN_IF_ERROR(TakeSequenceId(value, request.sequence));
    return true;
  }
  if (name == "sequence_start" || name == "sequence_end") {
    const auto* flag = std::get_if<bool>(&value);
    if (flag == nullptr) return std::unexpected(WrongType("", name, "true or false", value));
    (name == "sequence_start" ? request.sequence.start : request.sequence.end) = *flag;
    return true;
  }
  if (name.starts_with("triton_")) {
    return std::unexpected(base::InvalidArgument(
        "parameter keys starting with 'triton_' are reserved for Triton usage, got '" + std::string(name) + "'"));
  }
  return false;
}

bool IsKnownParameter(std::string_view name) {
  core::InferRequest request;
  RequestSettings settings;
  const auto taken = TakeKnownParameter(name, false, request, settings);
  return !taken.has_value() || *taken;
}

base::Result<RequestSettings> TakeKnownParameters(core::InferRequest& request) {
  RequestSettings settings;
  auto keep = request.parameters.begin();
  for (auto& entry : request.parameters) {
    INFERD_ASSIGN_OR_RETURN(const bool taken, TakeKnownParameter(entry.first, entry.second, request, settings));
    if (taken) continue;
    if (&entry != &*keep) *keep = std::move(entry);
    ++keep;
  }
  request.parameters.erase(keep, request.parameters.end());
  return settings;
}

bool NamesRegion(const core::Parameters& parameters) {
  return std::ranges::any_of(parameters,
                             [](const auto& parameter) { return parameter.first.starts_with("shared_memory_"); });
}

base::Result<bool> WantsBase64(const core::Parameters& parameters, std::string_view owner) {
  const ParameterValue* value = core::FindParameter(parameters, "content_type");
  if (value == nullptr) return false;
  const auto* text = std::get_if<std::string>(value);
  if (text == nullptr) return std::unexpected(WrongType(owner, "content_type", "a string", *value));
  return *text == "base64";
}

base::Result<OutputSettings> ReadOutputSettings(const core::RequestedOutput& output, bool binary_default) {
  OutputSettings settings{.binary = binary_default};
  if (output.parameters.empty()) return settings;
  const std::string owner = "output '" + output.name + "'";
  settings.region = NamesRegion(output.parameters);
  if (const ParameterValue* value = core::FindParameter(output.parameters, "binary_data")) {
    const auto* flag = std::get_if<bool>(value);
    if (flag == nullptr) return std::unexpected(WrongType(owner, "binary_data", "true or false", *value));
    settings.binary = *flag;
  }
  if (const ParameterValue* value = core::FindParameter(output.parameters, "classification")) {
    const std::optional<uint64_t> classes = AsUnsigned(*value);
    if (!classes || *classes > std::numeric_limits<uint32_t>::max()) {
      return std::unexpected(WrongType(owner, "classification", "an unsigned 32-bit integer", *value));
    }
    settings.classes = static_cast<uint32_t>(*classes);
  }
  INFERD_ASSIGN_OR_RETURN(settings.base64, WantsBase64(output.parameters, owner));
  if (!settings.region) return settings;
  if (settings.classes > 0) {
    return std::unexpected(
        base::InvalidArgument(owner + ": parameter 'classification': classes are not written to shared memory"));
  }
  if (core::FindParameter(output.parameters, "binary_data") != nullptr && settings.binary) {
    return std::unexpected(base::InvalidArgument(
        owner + ": parameter 'binary_data': an output is in the answer or in shared memory, not in both"));
  }
  settings.binary = false;
  return settings;
}

std::optional<uint64_t> AsUnsigned(const ParameterValue& value) {
  if (const auto* u = std::get_if<uint64_t>(&value)) return *u;
  if (const auto* i = std::get_if<int64_t>(&value); i != nullptr && *i >= 0) return static_cast<uint64_t>(*i);
  return std::nullopt;
}

std::string Describe(const ParameterValue& value) {
  struct Printer {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(int64_t number) const { return std::to_string(number); }
    std::string operator()(uint64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const {
      char text[32];
      return {text, std::to_chars(text, text + sizeof text, number).ptr};
    }
    std::string operator()(const std::string& text) const {
      constexpr size_t kShown = 64;
      return "'" + (text.size() > kShown ? text.substr(0, kShown) + "..." : text) + "'";
    }
  };
  return std::visit(Printer{}, value);
}

}  // namespace inferd::v2
