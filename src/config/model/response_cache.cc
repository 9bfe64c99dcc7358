#include "config/model/response_cache.h"

#include "config/model/model_config_message.h"

namespace inferd::config {

bool WantsResponseCache(const ModelConfig& config) {
  return config.document != nullptr && config.document->message().proto.response_cache().enable();
}

}  // namespace inferd::config
