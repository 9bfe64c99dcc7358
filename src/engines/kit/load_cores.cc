#include "engines/kit/load_cores.h"

namespace inferd::kit {

base::CpuCores LoadCores(const inferd_load& load) {
  if (!INFERD_HAS_FIELD(inferd_load, &load, cpu_core_count)) return {};
  return {load.cpu_cores, load.cpu_cores + load.cpu_core_count};
}

}  // namespace inferd::kit
