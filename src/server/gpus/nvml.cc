#include "server/gpus/nvml.h"

#include <dlfcn.h>

#include <algorithm>

namespace inferd::server {

namespace {

constexpr int kSuccess = 0;
constexpr double kMilli = 1e-3;
constexpr size_t kUuidBytes = 96;

// Types of the library's ABI.
struct Utilization {
  unsigned gpu = 0;  // percent
  unsigned memory = 0;
};
struct Memory {
  unsigned long long total = 0;  // NOLINT(google-runtime-int): the library's type
  unsigned long long free = 0;   // NOLINT(google-runtime-int)
  unsigned long long used = 0;   // NOLINT(google-runtime-int)
};

using Gpu = void*;

template <typename Function>
void Find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

// Reads a value. Nullopt if the library lacks the function, or the GPU lacks the value.
template <typename Value>
std::optional<Value> Ask(int (*function)(Gpu, Value*), Gpu gpu) {
  Value value{};
  if (function == nullptr || function(gpu, &value) != kSuccess) return std::nullopt;
  return value;
}

}  // namespace

// The library's functions. A function that it lacks is null.
struct Nvml::Functions {
  explicit Functions(void* opened) : library(opened) {
    Find(library, "nvmlInit_v2", init);
    Find(library, "nvmlShutdown", shutdown);
    Find(library, "nvmlDeviceGetCount_v2", count);
    Find(library, "nvmlDeviceGetHandleByIndex_v2", at);
    Find(library, "nvmlDeviceGetUUID", uuid);
    Find(library, "nvmlDeviceGetUtilizationRates", utilization);
    Find(library, "nvmlDeviceGetMemoryInfo", memory);
    Find(library, "nvmlDeviceGetPowerUsage", power_usage);
    Find(library, "nvmlDeviceGetPowerManagementLimit", power_limit);
    Find(library, "nvmlDeviceGetTotalEnergyConsumption", energy);
  }
  ~Functions() { dlclose(library); }
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;

  bool usable() const {
    return init != nullptr && shutdown != nullptr && count != nullptr && at != nullptr && uuid != nullptr;
  }

  void* const library;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*at)(unsigned, Gpu*) = nullptr;
  int (*uuid)(Gpu, char*, unsigned) = nullptr;
  int (*utilization)(Gpu, Utilization*) = nullptr;
  int (*memory)(Gpu, Memory*) = nullptr;
  int (*power_usage)(Gpu, unsigned*) = nullptr;       // milliwatts
  int (*power_limit)(Gpu, unsigned*) = nullptr;       // milliwatts
  int (*energy)(Gpu, unsigned long long*) = nullptr;  // millijoules; NOLINT(google-runtime-int)
};

Nvml::Nvml(std::unique_ptr<const Functions> functions) : functions_(std::move(functions)) {}

Nvml::~Nvml() { functions_->shutdown(); }

base::Result<std::unique_ptr<Nvml>> Nvml::Open(const std::string& library) {
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return std::unexpected(base::NotFound("there is no " + library));
  auto functions = std::make_unique<const Functions>(opened);
  if (!functions->usable()) return std::unexpected(base::Unavailable(library + " is none of NVIDIA's, or too old"));
  if (const int code = functions->init(); code != kSuccess) {
    return std::unexpected(base::Unavailable(library + " does not start: error " + std::to_string(code)));
  }
  std::unique_ptr<Nvml> nvml(new Nvml(std::move(functions)));
  INFERD_RETURN_IF_ERROR(nvml->FindGpus());
  return nvml;
}

base::Status Nvml::FindGpus() {
  unsigned count = 0;
  if (const int code = functions_->count(&count); code != kSuccess) {
    return base::Unavailable("the GPUs cannot be counted: error " + std::to_string(code));
  }
  for (unsigned i = 0; i < std::min(count, kGpusMax); ++i) {
    Gpu gpu = nullptr;
    std::array<char, kUuidBytes> uuid{};
    if (functions_->at(i, &gpu) != kSuccess) continue;
    if (functions_->uuid(gpu, uuid.data(), uuid.size() - 1) != kSuccess) continue;
    gpus_.push_back(gpu);
    uuids_.emplace_back(uuid.data());
  }
  return base::OkStatus();
}

GpuFigures Nvml::Read(size_t gpu) const {
  constexpr double kPercent = 100;
  GpuFigures figures;
  if (const auto use = Ask(functions_->utilization, gpus_[gpu])) figures.utilization = use->gpu / kPercent;
  if (const auto memory = Ask(functions_->memory, gpus_[gpu])) {
    figures.memory_total = static_cast<double>(memory->total);
    figures.memory_used = static_cast<double>(memory->used);
  }
  if (const auto power = Ask(functions_->power_usage, gpus_[gpu])) figures.power_usage = *power * kMilli;
  if (const auto power = Ask(functions_->power_limit, gpus_[gpu])) figures.power_limit = *power * kMilli;
  if (const auto energy = Ask(functions_->energy, gpus_[gpu])) figures.energy = static_cast<double>(*energy) * kMilli;
  return figures;
}

}  // namespace inferd::server
