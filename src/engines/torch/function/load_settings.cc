#include "engines/torch/function/load_settings.h"

#include <algorithm>

#include "engines/kit/parameters.h"

namespace inferd::torchscript {

namespace {

using Key = std::string_view;
using Value = std::string_view;

constexpr int kThreadsMax = 1024;

template <bool LoadSettings::* Field, bool Negated = false>
base::Status SetFlag(Key key, Value value, LoadSettings* settings) {
  bool flag = false;
  INFERD_RETURN_IF_ERROR(kit::ReadFlag(key, value, &flag));
  settings->*Field = flag != Negated;
  return base::OkStatus();
}

base::Status SetMethod(Key key, Value value, LoadSettings* settings) {
  if (value.empty()) return base::InvalidArgument("parameter '" + std::string(key) + "' is empty");
  settings->method = value;
  return base::OkStatus();
}

base::Status SetThreads(Key key, Value value, LoadSettings* settings) {
  return kit::ReadNumber(key, value, 0, kThreadsMax, &settings->intra_op_threads);
}

// Ignored: all models share one pool of threads, and there are no GPUs, fusing compilers and copies of weights.
base::Status IgnoreFlag(Key key, Value value, LoadSettings* settings) {
  bool flag = false;
  settings->ignored.emplace_back(key);
  return kit::ReadFlag(key, value, &flag);
}

base::Status IgnoreThreads(Key key, Value value, LoadSettings* settings) {
  int threads = 0;
  settings->ignored.emplace_back(key);
  return kit::ReadNumber(key, value, 0, kThreadsMax, &threads);
}

struct Row {
  std::string_view name;
  base::Status (*apply)(Key key, Value value, LoadSettings* settings);
};

constexpr Row kSettingRows[] = {
    {"INTRA_OP_THREAD_COUNT", SetThreads},
    {"DISABLE_OPTIMIZED_EXECUTION", SetFlag<&LoadSettings::optimized, true>},
    {"INFERENCE_MODE", SetFlag<&LoadSettings::inference_mode>},
    {"ENABLE_JIT_EXECUTOR", SetFlag<&LoadSettings::new_executor>},
    {"ENABLE_JIT_PROFILING", SetFlag<&LoadSettings::profiling>},
    {"MODULE_METHOD_NAME", SetMethod},
    {"FREEZE", SetFlag<&LoadSettings::freeze>},
    {"ENABLE_WEIGHT_SHARING", IgnoreFlag},
    {"INTER_OP_THREAD_COUNT", IgnoreThreads},
    {"ENABLE_TENSOR_FUSER", IgnoreFlag},
    {"ENABLE_NVFUSER", IgnoreFlag},
    {"DISABLE_CUDNN", IgnoreFlag},
    {"ENABLE_CACHE_CLEANING", IgnoreFlag},
};

}  // namespace

std::vector<std::string_view> LoadParameterNames() { return kit::ParameterNames(kSettingRows); }

base::Result<LoadSettings> LoadSettings::Parse(const inferd_load& load) {
  LoadSettings settings;
  INFERD_RETURN_IF_ERROR(kit::ApplyParameters(kSettingRows, load, &settings));
  return settings;
}

}  // namespace inferd::torchscript
