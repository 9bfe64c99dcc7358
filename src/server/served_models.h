#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "config/options/served_model.h"
#include "config/options/served_options.h"
#include "server/records/request_logs.h"
#include "serving/core/model/catalog.h"

namespace inferd::server {

// Reads the model list of a ModelServerConfig file. Nullopt if the file has no list. Fields without effect are logged.
// Returns an error if the file cannot be read or is invalid.
base::Result<std::optional<std::vector<config::ServedModel>>> ReadModelConfigFile(const std::string& file,
                                                                                  base::Logger& logger);

// Returns the models that the options name, directly or by a file. A file without a list counts as an empty list.
// Nullopt if the options name none. Returns the errors of ReadModelConfigFile.
base::Result<std::optional<std::vector<config::ServedModel>>> ReadServedModels(
    const config::ServedModelOptions& options, base::Logger& logger);

// The services that models are served with.
struct ModelServing {
  core::Catalog& catalog;
  RequestLogs& request_logs;  // of the served models
  base::Logger& logger;
};

// Replaces the served models, and their request logs, by these. `done` receives the catalog's result. The services must
// outlive the call.
void ServeModels(const ModelServing& serving, std::vector<config::ServedModel> models, core::ControlCallback done);

// Returns true if this result means that the new models are served: OK, or UNKNOWN if some of them did not load.
bool IsServed(const base::Status& answer);

// Serves the models of a serialized ModelServerConfig, as TensorFlow Serving's reload call requests. Passes on the
// catalog's errors, or INVALID_ARGUMENT if the message is invalid.
void ReloadModels(const ModelServing& serving, std::string_view message, core::ControlCallback done);

}  // namespace inferd::server
