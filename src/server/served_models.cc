#include "server/served_models.h"

#include <string>
#include <utility>

#include "base/system/regular_file.h"
#include "config/ovms/model_list.h"
#include "config/tfs/model_server_config.h"

namespace inferd::server {

namespace {

void LogWarnings(const config::ModelServerConfig& read, base::Logger& logger) {
  for (const std::string& warning : read.warnings) logger.Warning(warning);
}

}  // namespace

base::Result<std::optional<std::vector<config::ServedModel>>> ReadModelConfigFile(const std::string& file,
                                                                                  base::Logger& logger) {
  INFERD_ASSIGN_OR_RETURN(const std::string text, base::ReadRegularFile(file, config::kModelServerConfigBytesMax));
  INFERD_ASSIGN_OR_RETURN(config::ModelServerConfig read, config::IsOvmsModelList(text)
                                                              ? config::ParseOvmsModelList(text, file)
                                                              : config::ParseModelServerConfig(text, file));
  LogWarnings(read, logger);
  return std::move(read.models);
}

base::Result<std::optional<std::vector<config::ServedModel>>> ReadServedModels(
    const config::ServedModelOptions& options, base::Logger& logger) {
  if (!options.config_file.empty()) {
    INFERD_ASSIGN_OR_RETURN(auto models, ReadModelConfigFile(options.config_file, logger));
    return std::move(models).value_or(std::vector<config::ServedModel>());
  }
  if (options.base_paths.empty()) return std::nullopt;
  std::vector<config::ServedModel> models;
  for (const config::BasePathOptions& model : options.base_paths) {
    models.push_back({.name = model.name, .base_path = model.path});
  }
  return models;
}

void ServeModels(const ModelServing& serving, std::vector<config::ServedModel> models, core::ControlCallback done) {
  auto logged = models;
  serving.catalog.ReplaceModels(std::move(models), [&logs = serving.request_logs, logged = std::move(logged),
                                                    done = std::move(done)](base::Status answer) mutable {
    if (IsServed(answer)) logs.Serve(logged);
    done(std::move(answer));
  });
}

bool IsServed(const base::Status& answer) { return answer.ok() || answer.code() == base::StatusCode::kUnknown; }

void ReloadModels(const ModelServing& serving, std::string_view message, core::ControlCallback done) {
  auto read = config::DecodeModelServerConfig(message);
  if (!read.has_value()) return done(read.error());
  LogWarnings(*read, serving.logger);
  ServeModels(serving, *std::move(read->models), std::move(done));
}

}  // namespace inferd::server
