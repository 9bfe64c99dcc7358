#include "frontends/oip_http/control_requests.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/base64.h"
#include "frontends/oip_http/json_object.h"
#include "json/writer.h"

namespace inferd::oip_http {

namespace {

using base::InvalidArgument;
using json::Reader;

constexpr std::string_view kFilePrefix = "file:";
constexpr size_t kNameBytesMax = 255;  // a folder's name

std::string Quoted(std::string_view text) { return "'" + std::string(text.substr(0, 256)) + "'"; }

base::Status CheckModelName(std::string_view model) {
  if (model.empty()) return InvalidArgument("expected a model name, got none");
  const bool folder = model != "." && model != ".." && model.size() <= kNameBytesMax &&
                      model.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
  if (folder) return {};
  return InvalidArgument("model name " + Quoted(model) + ": expected the name of a folder");
}

base::Status CheckConfig(std::string_view config, std::string_view model) {
  Reader reader(config);
  const base::Status status = ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key != "name") return reader.SkipValue();
    INFERD_ASSIGN_OR_RETURN(const std::string_view name, reader.ReadString());
    if (name.empty() || name == model) return {};
    return InvalidArgument("'name': expected " + Quoted(model) + ", got " + Quoted(name));
  });
  if (!status.ok()) return status;
  return reader.Finish();
}

base::Status CheckFilePath(std::string_view path) {
  const base::Status fault = InvalidArgument("parameter 'file:" + std::string(path.substr(0, 256)) +
                                             "': expected <version>/<path> inside the model, without '.' and '..'");
  if (path.find_first_of(std::string_view("\\\0", 2)) != std::string_view::npos) return fault;
  const size_t slash = path.find('/');
  const std::string_view version = path.substr(0, slash);
  const bool decimal = !version.empty() && version.size() <= 18 && (version[0] != '0' || version.size() == 1) &&
                       std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; });
  if (slash == std::string_view::npos || !decimal) return fault;
  for (std::string_view rest = path.substr(slash + 1);;) {
    const size_t end = rest.find('/');
    const std::string_view part = rest.substr(0, end);
    if (part.empty() || part == "." || part == ".." || part.size() > kNameBytesMax) return fault;
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
}

base::Status ReadFile(Reader& reader, std::string_view key, core::LoadCall& call) {
  const std::string_view path = key.substr(kFilePrefix.size());
  INFERD_RETURN_IF_ERROR(CheckFilePath(path));
  INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
  std::string bytes(text);
  const std::optional<size_t> size = base::DecodeBase64(bytes, bytes.data());
  if (!size) return InvalidArgument("parameter " + Quoted(key) + ": expected base64, got something else");
  bytes.resize(*size);
  call.files.emplace_back(path, std::move(bytes));
  return {};
}

base::Status ReadLoadParameter(Reader& reader, std::string_view key, core::LoadCall& call) {
  if (key.starts_with(kFilePrefix)) return ReadFile(reader, key, call);
  if (key != "config") return InvalidArgument("unrecognized load parameter " + Quoted(key));
  auto config = reader.ReadString();
  if (!config.has_value()) return config.error().WithContext("parameter 'config'");
  if (base::Status status = CheckConfig(*config, call.model); !status.ok()) {
    return status.WithContext("parameter 'config'");
  }
  call.config_json = *config;
  return {};
}

}  // namespace

base::Result<bool> ReadIndexRequest(std::string_view body) {
  bool ready = false;
  INFERD_RETURN_IF_ERROR(ReadBody(body, [&](Reader& reader, std::string_view key) -> base::Status {
    if (key != "ready") return reader.SkipValue();
    INFERD_ASSIGN_OR_RETURN(ready, reader.ReadBool());
    return {};
  }));
  return ready;
}

base::Result<core::LoadCall> ReadLoadRequest(std::string_view body, std::string_view model,
                                             std::string_view repository) {
  INFERD_RETURN_IF_ERROR(CheckModelName(model));
  core::LoadCall call;
  call.model = model;
  call.repository = repository;
  INFERD_RETURN_IF_ERROR(ReadBody(body, [&](Reader& reader, std::string_view key) -> base::Status {
    if (key != "parameters") return reader.SkipValue();
    return ReadObject(reader, [&](std::string_view name) { return ReadLoadParameter(reader, name, call); });
  }));
  if (!call.files.empty() && call.config_json.empty()) {
    return std::unexpected(InvalidArgument("load of model " + Quoted(model) +
                                           ": 'file:' parameters need a parameter "
                                           "'config', got none"));
  }
  return call;
}

base::Result<core::UnloadCall> ReadUnloadRequest(std::string_view body, std::string_view model,
                                                 std::string_view repository) {
  INFERD_RETURN_IF_ERROR(CheckModelName(model));
  core::UnloadCall call{.model = std::string(model), .repository = std::string(repository)};
  INFERD_RETURN_IF_ERROR(ReadBody(body, [&](Reader& reader, std::string_view key) -> base::Status {
    if (key != "parameters") return reader.SkipValue();
    return ReadObject(reader, [&](std::string_view name) -> base::Status {
      if (name != "unload_dependents") return InvalidArgument("unrecognized unload parameter " + Quoted(name));
      INFERD_ASSIGN_OR_RETURN(call.unload_dependents, reader.ReadBool());
      return {};
    });
  }));
  return call;
}

base::Result<LogSettings> ReadLogSettings(std::string_view body) {
  LogSettings settings;
  const auto read_member = [&](Reader& reader, std::string_view key) -> base::Status {
    if (key == "log_info") {
      INFERD_ASSIGN_OR_RETURN(settings.info, reader.ReadBool());
    } else if (key == "log_warning") {
      INFERD_ASSIGN_OR_RETURN(settings.warning, reader.ReadBool());
    } else if (key == "log_error") {
      INFERD_ASSIGN_OR_RETURN(settings.error, reader.ReadBool());
    } else if (key == "log_verbose_level") {
      INFERD_ASSIGN_OR_RETURN(const uint64_t level, reader.ReadUint64());
      if (level > std::numeric_limits<int>::max()) return reader.Error("expected a level below 2147483648");
      settings.verbose_level = static_cast<int>(level);
    } else if (key == "log_format") {
      INFERD_ASSIGN_OR_RETURN(const std::string_view format, reader.ReadString());
      if (format != "default") return reader.Error("expected 'default', got " + Quoted(format));
    } else if (key == "log_file") {
      return reader.Error("log file location can not be updated through network protocol");
    } else {
      return reader.Error("unknown log setting");
    }
    return {};
  };
  INFERD_RETURN_IF_ERROR(ReadBody(
      body, [&](Reader& reader, std::string_view key) { return read_member(reader, key).WithContext(Quoted(key)); }));
  return settings;
}

void ApplyLogSettings(const LogSettings& settings, base::Logger& logger) {
  if (settings.info) logger.SetEnabled(base::LogLevel::kInfo, *settings.info);
  if (settings.warning) logger.SetEnabled(base::LogLevel::kWarning, *settings.warning);
  if (settings.error) logger.SetEnabled(base::LogLevel::kError, *settings.error);
  if (settings.verbose_level) logger.SetVerboseLevel(*settings.verbose_level);
}

std::string LogSettingsJson(const base::Logger& logger) {
  json::Writer writer;
  writer.BeginObject();
  writer.Key("log_file");
  writer.String(logger.file());
  writer.Key("log_info");
  writer.Bool(logger.Enabled(base::LogLevel::kInfo));
  writer.Key("log_warning");
  writer.Bool(logger.Enabled(base::LogLevel::kWarning));
  writer.Key("log_error");
  writer.Bool(logger.Enabled(base::LogLevel::kError));
  writer.Key("log_verbose_level");
  writer.Int(logger.verbose_level());
  writer.Key("log_format");
  writer.String("default");
  writer.EndObject();
  return writer.TakeString();
}

}  // namespace inferd::oip_http
