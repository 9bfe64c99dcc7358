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

// The models that a ModelServerConfig's file lists; absent: it has no list. What has no effect is logged. Errors: a
// file that cannot be read, and what is wrong in it.
base::Result<std::optional<std::vector<config::ServedModel>>> ReadModelConfigFile(const std::string& file,
                                                                                  base::Logger& logger);

// The models that the options name, out of the file that they name if they do, where no list is an empty one; absent:
// they name none. Errors are ReadModelConfigFile's.
base::Result<std::optional<std::vector<config::ServedModel>>> ReadServedModels(
    const config::ServedModelOptions& options, base::Logger& logger);

// Where models are served by name.
struct ModelServing {
  core::Catalog& catalog;
  RequestLogs& request_logs;  // of what is served
  base::Logger& logger;
};

// Has these models served, and logged as they say, in place of what was. `done` is the catalog's answer. The services
// outlive it.
void ServeModels(const ModelServing& serving, std::vector<config::ServedModel> models, core::ControlCallback done);

// Whether that answer leaves the new models served: OK, or UNKNOWN where some of them did not come up.
bool IsServed(const base::Status& answer);

// Has what a serialized ModelServerConfig says served, as TensorFlow Serving's reload call asks for. Errors besides the
// catalog's: INVALID_ARGUMENT, of the message.
void ReloadModels(const ModelServing& serving, std::string_view message, core::ControlCallback done);

}  // namespace inferd::server
