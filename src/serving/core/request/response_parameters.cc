#include "serving/core/request/response_parameters.h"

#include <string>
#include <utility>

#include "base/text/utf8.h"

namespace inferd::core {

namespace {

constexpr std::string_view kReservedPrefix = "triton_";

base::Status CheckName(std::string_view name) {
  if (name.empty()) return base::Internal("a parameter without a name");
  if (!base::IsUtf8(name)) return base::Internal("a parameter whose name is not UTF-8");
  if (!name.starts_with(kReservedPrefix)) return base::OkStatus();
  return base::Internal("parameter '" + std::string(name) + "': names starting with '" + std::string(kReservedPrefix) +
                        "' are reserved");
}

}  // namespace

base::Status CheckResponseParameters(const Parameters& parameters) {
  if (parameters.size() > kResponseParametersMax) {
    return base::Internal("more than " + std::to_string(kResponseParametersMax) + " parameters");
  }
  size_t bytes = 0;
  for (const auto& [name, value] : parameters) {
    const auto* text = std::get_if<std::string>(&value);
    bytes += name.size() + (text == nullptr ? 0 : text->size());
  }
  if (bytes > kResponseParameterBytesMax) {
    return base::Internal("parameters of more than " + std::to_string(kResponseParameterBytesMax) + " bytes");
  }
  for (const auto& [name, value] : parameters) {
    INFERD_RETURN_IF_ERROR(CheckName(name));
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && !base::IsUtf8(*text)) {
      return base::Internal("parameter '" + name + "' with a text that is not UTF-8");
    }
    if (FindParameter(parameters, name) != &value) return base::Internal("parameter '" + name + "' twice");
  }
  return base::OkStatus();
}

void AddResponseParameters(Parameters& parameters, Parameters&& more) {
  if (parameters.empty() && more.size() <= kResponseParametersMax) {
    parameters = std::move(more);
    return;
  }
  for (auto& entry : more) {
    if (parameters.size() >= kResponseParametersMax) return;
    if (FindParameter(parameters, entry.first) == nullptr) parameters.push_back(std::move(entry));
  }
}

}  // namespace inferd::core
