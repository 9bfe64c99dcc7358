#include "frontends/oip_http/codec/control_requests.h"

#include <optional>
#include <utility>

#include "base/text/base64.h"
#include "frontends/oip_http/codec/parameters_json.h"
#include "json/read.h"
#include "v2/repository_calls.h"

namespace inferd::oip_http {

namespace {

using json::Reader;

base::Status ReadFile(Reader& reader, std::string_view key, core::LoadCall& call) {
  INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
  std::string bytes(text);
  const std::optional<size_t> size = base::DecodeBase64(bytes, bytes.data());
  if (!size) {
    return base::InvalidArgument("parameter '" + std::string(key.substr(0, 256)) +
                                 "': expected base64, got something else");
  }
  bytes.resize(*size);
  return v2::AddFile(key, std::move(bytes), call);
}

base::Status ReadLoadParameter(Reader& reader, std::string_view key, core::LoadCall& call) {
  if (v2::NamesFile(key)) return ReadFile(reader, key, call);
  if (key != "config") return v2::UnknownLoadParameter(key);
  auto config = reader.ReadString();
  if (!config.has_value()) return config.error().WithContext("parameter 'config'");
  return v2::AddConfig(*config, call);
}

}  // namespace

base::Result<bool> ReadIndexRequest(std::string_view body) {
  bool ready = false;
  INFERD_RETURN_IF_ERROR(json::ReadWholeObject(body, [&](Reader& reader, std::string_view key) -> base::Status {
    if (key != "ready") return reader.SkipValue();
    INFERD_ASSIGN_OR_RETURN(ready, reader.ReadBool());
    return {};
  }));
  return ready;
}

base::Result<core::LoadCall> ReadLoadRequest(std::string_view body, std::string_view model,
                                             std::string_view repository) {
  INFERD_ASSIGN_OR_RETURN(core::LoadCall call, v2::NewLoadCall(model, repository));
  INFERD_RETURN_IF_ERROR(json::ReadWholeObject(body, [&](Reader& reader, std::string_view key) -> base::Status {
    if (key != "parameters") return reader.SkipValue();
    return json::ReadObject(reader, [&](std::string_view name) { return ReadLoadParameter(reader, name, call); });
  }));
  INFERD_RETURN_IF_ERROR(v2::CheckFiles(call));
  return call;
}

base::Result<core::UnloadCall> ReadUnloadRequest(std::string_view body, std::string_view model,
                                                 std::string_view repository) {
  INFERD_ASSIGN_OR_RETURN(core::UnloadCall call, v2::NewUnloadCall(model, repository));
  INFERD_RETURN_IF_ERROR(json::ReadWholeObject(body, [&](Reader& reader, std::string_view key) -> base::Status {
    if (key != "parameters") return reader.SkipValue();
    return json::ReadObject(reader, [&](std::string_view name) -> base::Status {
      if (name != "unload_dependents") return v2::UnknownUnloadParameter(name);
      INFERD_ASSIGN_OR_RETURN(call.unload_dependents, reader.ReadBool());
      return {};
    });
  }));
  return call;
}

base::Result<v2::LogSettings> ReadLogSettings(std::string_view body) {
  if (body.empty()) return v2::LogSettings{};
  Reader reader(body);
  INFERD_ASSIGN_OR_RETURN(const core::Parameters settings, ReadParameters(reader, ""));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  return v2::ReadLogSettings(settings);
}

std::string LogSettingsJson(const base::Logger& logger) {
  json::Writer writer;
  WriteParameters(writer, v2::LogSettingsInForce(logger));
  return writer.TakeString();
}

}  // namespace inferd::oip_http
