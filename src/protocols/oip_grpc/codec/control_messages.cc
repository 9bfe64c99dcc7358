#include "protocols/oip_grpc/codec/control_messages.h"

#include <string>
#include <string_view>
#include <utility>

#include "protocols/v2/parameters.h"
#include "protocols/v2/repository_calls.h"

namespace inferd::oip_grpc {

namespace {

using inference::ModelRepositoryParameter;

std::string_view KindOf(const ModelRepositoryParameter& value) {
  switch (value.parameter_choice_case()) {
    case ModelRepositoryParameter::kBoolParam: return "bool_param";
    case ModelRepositoryParameter::kInt64Param: return "int64_param";
    case ModelRepositoryParameter::kStringParam: return "string_param";
    case ModelRepositoryParameter::kBytesParam: return "bytes_param";
    default: return "no value";
  }
}

base::Status WrongKind(std::string_view name, std::string_view expected, const ModelRepositoryParameter& got) {
  return base::InvalidArgument("parameter '" + std::string(name.substr(0, 256)) + "': expected " +
                               std::string(expected) + ", got " + std::string(KindOf(got)));
}

base::Status ReadLoadParameter(std::string_view name, ModelRepositoryParameter& value, core::LoadCall& call) {
  if (v2::NamesFile(name)) {
    if (!value.has_bytes_param()) return WrongKind(name, "bytes_param", value);
    return v2::AddFile(name, std::move(*value.mutable_bytes_param()), call);
  }
  if (name != "config") return v2::UnknownLoadParameter(name);
  if (!value.has_string_param()) return WrongKind(name, "string_param", value);
  return v2::AddConfig(value.string_param(), call);
}

base::Result<core::ParameterValue> ReadSetting(std::string_view name,
                                               const inference::LogSettingsRequest::SettingValue& value) {
  using Setting = inference::LogSettingsRequest::SettingValue;
  switch (value.parameter_choice_case()) {
    case Setting::kBoolParam: return value.bool_param();
    case Setting::kUint32Param: return uint64_t{value.uint32_param()};
    case Setting::kStringParam: return value.string_param();
    default:
      return std::unexpected(
          base::InvalidArgument("log setting '" + std::string(name.substr(0, 256)) + "': expected a value, got none"));
  }
}

}  // namespace

base::Result<core::LoadCall> ReadLoadRequest(inference::RepositoryModelLoadRequest request) {
  INFERD_ASSIGN_OR_RETURN(core::LoadCall call, v2::NewLoadCall(request.model_name(), request.repository_name()));
  for (auto& [name, value] : *request.mutable_parameters()) {
    INFERD_RETURN_IF_ERROR(ReadLoadParameter(name, value, call));
  }
  INFERD_RETURN_IF_ERROR(v2::CheckFiles(call));
  return call;
}

base::Result<core::UnloadCall> ReadUnloadRequest(const inference::RepositoryModelUnloadRequest& request) {
  INFERD_ASSIGN_OR_RETURN(core::UnloadCall call, v2::NewUnloadCall(request.model_name(), request.repository_name()));
  for (const auto& [name, value] : request.parameters()) {
    if (name != "unload_dependents") return std::unexpected(v2::UnknownUnloadParameter(name));
    if (!value.has_bool_param()) return std::unexpected(WrongKind(name, "bool_param", value));
    call.unload_dependents = value.bool_param();
  }
  return call;
}

base::Result<v2::LogSettings> ReadLogSettings(const inference::LogSettingsRequest& request) {
  core::Parameters settings;
  for (const auto& [name, value] : request.settings()) {
    INFERD_ASSIGN_OR_RETURN(core::ParameterValue setting, ReadSetting(name, value));
    settings.emplace_back(name, std::move(setting));
  }
  return v2::ReadLogSettings(settings);
}

core::Tracing::Changes ReadTraceSettings(const inference::TraceSettingRequest& request) {
  core::Tracing::Changes changes;
  for (const auto& [name, setting] : request.settings()) {
    std::optional<std::vector<std::string>> values;
    if (setting.value_size() > 0) values.emplace(setting.value().begin(), setting.value().end());
    changes.emplace_back(name, std::move(values));
  }
  return changes;
}

inference::TraceSettingResponse TraceSettingsMessage(const core::Tracing::Settings& settings) {
  inference::TraceSettingResponse message;
  for (const auto& [name, values] : settings) {
    for (const std::string& value : values) (*message.mutable_settings())[name].add_value(value);
  }
  return message;
}

inference::LogSettingsResponse LogSettingsMessage(const base::Logger& logger) {
  inference::LogSettingsResponse message;
  for (auto& [name, value] : v2::LogSettingsInForce(logger)) {
    auto& setting = (*message.mutable_settings())[name];
    if (const auto* flag = std::get_if<bool>(&value)) setting.set_bool_param(*flag);
    if (const auto* level = std::get_if<uint64_t>(&value)) setting.set_uint32_param(static_cast<uint32_t>(*level));
    if (const auto* text = std::get_if<std::string>(&value)) setting.set_string_param(*text);
  }
  return message;
}

}  // namespace inferd::oip_grpc
