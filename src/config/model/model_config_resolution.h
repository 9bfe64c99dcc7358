#pragma once

#include <memory>

#include "config/model/model_config_completion.h"
#include "config/model/model_config_message.h"

namespace inferd::config {

// The plain structs of a document that was completed. What is no field of the message is derived: the engine, and the
// platform's name as metadata shows it. For this room's sources.
ModelConfig Rebuild(std::unique_ptr<const ModelConfigDocument::Message> message, const CompletionOptions& options);

}  // namespace inferd::config
