#include "serving/enginehost/batch/batch_parameters.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "serving/core/request/response_parameters.h"
#include "serving/enginehost/model/abi_values.h"

namespace inferd::enginehost {

namespace {

static_assert(core::kResponseParametersMax == INFERD_RESPONSE_PARAMETERS_MAX);
static_assert(core::kResponseParameterBytesMax == INFERD_RESPONSE_PARAMETER_BYTES_MAX);

// Keeps one byte more than the limit, so that a text that is too long is still refused.
std::string_view Beginning(inferd_text text) { return ToView(text).substr(0, core::kResponseParameterBytesMax + 1); }

}  // namespace

base::Result<core::Parameters> TakeParameters(const LoadedModel& model, const inferd_response& response) {
  core::Parameters parameters;
  if (!INFERD_HAS_FIELD(inferd_response, &response, parameter_count) || response.parameter_count == 0) {
    return parameters;
  }
  if (response.parameter_names == nullptr || response.parameters == nullptr) {
    return std::unexpected(model.Fault("answered parameters without names or values"));
  }
  // Keeps one parameter more than the limit, so that too many are still refused.
  const size_t count = std::min(response.parameter_count, core::kResponseParametersMax + 1);
  parameters.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    std::optional<core::ParameterValue> value;
    if (response.parameters[i] != nullptr)
      value = ToParameterValue(*response.parameters[i], core::kResponseParameterBytesMax + 1);
    if (!value.has_value()) {
      return std::unexpected(model.Fault("answered a parameter whose value cannot be read"));
    }
    parameters.emplace_back(Beginning(response.parameter_names[i]), *std::move(value));
  }
  const base::Status status = core::CheckResponseParameters(parameters);
  if (!status.ok()) return std::unexpected(model.Fault("answered " + status.message()));
  return parameters;
}

}  // namespace inferd::enginehost
