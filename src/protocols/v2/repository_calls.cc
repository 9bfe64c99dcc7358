#include "protocols/v2/repository_calls.h"

#include <optional>
#include <utility>

#include "base/text/digits.h"
#include "data/json/reader.h"
#include "serving/core/model/refused_load.h"

namespace inferd::v2 {

namespace {

using base::InvalidArgument;

constexpr std::string_view kFilePrefix = "file:";
constexpr size_t kNameBytesMax = 255;  // of a folder's name

std::string Quoted(std::string_view text) { return "'" + std::string(text.substr(0, 256)) + "'"; }

base::Status CheckModelName(std::string_view model) {
  if (model.empty()) return InvalidArgument("expected a model name, got none");
  const bool folder = model != "." && model != ".." && model.size() <= kNameBytesMax &&
                      model.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
  if (folder) return {};
  return InvalidArgument("model name " + Quoted(model) + ": expected the name of a folder");
}

base::Status CheckFilePath(std::string_view path) {
  const base::Status fault = InvalidArgument("parameter 'file:" + std::string(path.substr(0, 256)) +
                                             "': expected <version>/<path> inside the model, without '.' and '..'");
  if (path.find_first_of(std::string_view("\\\0", 2)) != std::string_view::npos) return fault;
  const size_t slash = path.find('/');
  const std::string_view version = path.substr(0, slash);
  const bool decimal = version.size() <= 18 && base::IsDigits(version) && (version[0] != '0' || version.size() == 1);
  if (slash == std::string_view::npos || !decimal) return fault;
  for (std::string_view rest = path.substr(slash + 1);;) {
    const size_t end = rest.find('/');
    const std::string_view part = rest.substr(0, end);
    if (part.empty() || part == "." || part == ".." || part.size() > kNameBytesMax) return fault;
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
}

base::Status CheckConfig(std::string_view config, std::string_view model) {
  json::Reader reader(config);
  INFERD_RETURN_IF_ERROR(reader.BeginObject());
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader.NextKey());
    if (!key) return reader.Finish();
    if (*key != "name") {
      INFERD_RETURN_IF_ERROR(reader.SkipValue());
      continue;
    }
    INFERD_ASSIGN_OR_RETURN(const std::string_view name, reader.ReadString());
    if (name.empty() || name == model) continue;
    return InvalidArgument("'name': expected " + Quoted(model) + ", got " + Quoted(name));
  }
}

}  // namespace

base::Result<core::LoadCall> NewLoadCall(std::string_view model, std::string_view repository) {
  INFERD_RETURN_IF_ERROR(CheckModelName(model).WithContext(core::FailedToPoll(model)));
  core::LoadCall call;
  call.model = model;
  call.repository = repository;
  return call;
}

base::Result<core::UnloadCall> NewUnloadCall(std::string_view model, std::string_view repository) {
  INFERD_RETURN_IF_ERROR(CheckModelName(model));
  return core::UnloadCall{.model = std::string(model), .repository = std::string(repository)};
}

base::Status AddConfig(std::string_view config, core::LoadCall& call) {
  if (base::Status status = CheckConfig(config, call.model); !status.ok()) {
    return status.WithContext(core::FailedToPoll(call.model) + ": Invalid config override: parameter 'config'");
  }
  call.config_json = config;
  return {};
}

base::Status AddFile(std::string_view parameter, std::string bytes, core::LoadCall& call) {
  const std::string_view path = parameter.substr(kFilePrefix.size());
  INFERD_RETURN_IF_ERROR(CheckFilePath(path));
  call.files.emplace_back(path, std::move(bytes));
  return {};
}

base::Status CheckFiles(const core::LoadCall& call) {
  if (call.files.empty() || !call.config_json.empty()) return {};
  return InvalidArgument(core::FailedToPoll(call.model) + ": 'file:' parameters need a parameter 'config', got none");
}

base::Status UnknownLoadParameter(std::string_view parameter) {
  return InvalidArgument("unrecognized load parameter " + Quoted(parameter));
}

base::Status UnknownUnloadParameter(std::string_view parameter) {
  return InvalidArgument("unrecognized unload parameter " + Quoted(parameter));
}

}  // namespace inferd::v2
