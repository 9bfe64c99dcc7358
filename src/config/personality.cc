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

std::span<const Personality* const> Personalities() {
  static const std::array all = {&kInferd, &TritonserverPersonality(), &TensorflowModelServerPersonality(),
                                 &KservePersonality(), &TrtserverPersonality()};
  return all;
}

const Personality* FindPersonality(std::string_view name) {
  for (const Personality* personality : Personalities()) {
    if (personality->name == name) return personality;
    for (const std::string_view program : personality->program_names) {
      if (program == name) return personality;
    }
  }
  return nullptr;
}

const std::string* GivenFlags::Find(std::string_view name) const {
  const std::string* found = nullptr;
  for (const GivenFlag& flag : flags) {
    if (flag.name == name) found = &flag.value;
  }
  return found;
}

bool GivenFlags::IsTrue(std::string_view name) const {
  const std::string* value = Find(name);
  return value != nullptr && *value == "true";
}

}  // namespace inferd::config
