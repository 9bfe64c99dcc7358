#include "config/personality.h"

namespace inferd::config {
namespace {

constexpr std::string_view kProgramNames[] = {"inferd"};

constexpr Personality kInferd = {
    .name = "inferd",
    .program_names = kProgramNames,
    .flags = {},
    .defaults = {},
    .combine = nullptr,
    //              OK  CANC UNKN INVA DEAD NOTF ALRE PERM RESO FAIL ABOR OUTO UNIM INTE UNAV DATA UNAU
    .http_status = {200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401},
    .platform_names = PlatformNames::kPredictV2,
    .model_not_ready = "",
};

}  // namespace

const Personality& DefaultPersonality() { return kInferd; }

const Personality* FindPersonality(std::string_view name) {
  for (const Personality* personality : {&kInferd, &TritonserverPersonality()}) {
    if (personality->name == name) return personality;
    for (const std::string_view program : personality->program_names) {
      if (program == name) return personality;
    }
  }
  return nullptr;
}

}  // namespace inferd::config
