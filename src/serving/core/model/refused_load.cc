#include "serving/core/model/refused_load.h"

#include "base/text/printable.h"

namespace inferd::core {

std::string FailedToPoll(std::string_view model) {
  return "failed to load " + base::QuotedName(model) + ", failed to poll from model repository";
}

void LogRefusedLoad(base::Logger& logger, std::string_view model, const base::Status& why) {
  logger.Warning("a load call for model " + base::QuotedName(model) + " is refused: " + why.message(),
                 {{"model", model, /*in_message=*/true}});
}

}  // namespace inferd::core
