#pragma once

#include <memory>

#include "config/model/model_config_completion.h"
#include "config/model/model_config_message.h"

namespace inferd::config {

// Converts a completed document to plain structs. Derives values that are not fields of the message: the engine, and
// the platform's name in metadata. For this room's sources.
ModelConfig Rebuild(std::unique_ptr<const ModelConfigDocument::Message> message, const CompletionOptions& options);

}  // namespace inferd::config
