#include "protocols/oip_http/codec/control_requests.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/text/base64.h"
#include "data/json/read.h"
#include "protocols/oip_http/codec/request/parameters_json.h"
#include "protocols/v2/repository_calls.h"

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

// No setting has more values.
constexpr size_t kTraceValuesMax = 16;

using TraceValues = std::optional<std::vector<std::string>>;

base::Result<TraceValues> ReadTraceValues(Reader& reader) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  if (type == json::ValueType::kNull) {
    INFERD_RETURN_IF_ERROR(reader.ReadNull());
    return TraceValues();
  }
  std::vector<std::string> values;
  if (type == json::ValueType::kNumber) {
    INFERD_ASSIGN_OR_RETURN(const int64_t number, reader.ReadInt64());
    values.push_back(std::to_string(number));
  } else if (type != json::ValueType::kArray) {
    INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
    values.emplace_back(text);
  } else {
    INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&]() -> base::Status {
      if (values.size() == kTraceValuesMax) return base::InvalidArgument("expected fewer values");
      INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
      values.emplace_back(text);
      return {};
    }));
  }
  return TraceValues(std::move(values));
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

base::Result<core::Tracing::Changes> ReadTraceSettings(std::string_view body) {
  core::Tracing::Changes changes;
  INFERD_RETURN_IF_ERROR(json::ReadWholeObject(body, [&](Reader& reader, std::string_view key) -> base::Status {
    std::string name(key);
    auto values = ReadTraceValues(reader);
    if (!values.has_value()) return values.error().WithContext("trace setting '" + name.substr(0, 256) + "'");
    changes.emplace_back(std::move(name), *std::move(values));
    return {};
  }));
  return changes;
}

std::string TraceSettingsJson(const core::Tracing::Settings& settings) {
  json::Writer writer;
  writer.BeginObject();
  for (const auto& [name, values] : settings) {
    writer.Key(name);
    if (values.size() == 1 && name != "trace_level") {
      writer.String(values.front());
      continue;
    }
    writer.BeginArray();
    for (const std::string& value : values) writer.String(value);
    writer.EndArray();
  }
  writer.EndObject();
  return writer.TakeString();
}

std::string LogSettingsJson(const base::Logger& logger) {
  json::Writer writer;
  WriteParameters(writer, v2::LogSettingsInForce(logger));
  return writer.TakeString();
}

}  // namespace inferd::oip_http
