#include "engines/openvino/compile_settings.h"

#include <algorithm>

#include "engines/kit/parameters.h"

namespace inferd::openvino {

namespace {

using Key = std::string_view;
using Value = std::string_view;

constexpr int kThreadsMax = 1024;
constexpr Key kOperator = "operator.";  // only the server's command line may use this prefix

base::Status ReadYes(Key key, Value value, bool* flag) {
  if (value == "YES" || value == "NO") {
    *flag = value == "YES";
    return base::OkStatus();
  }
  const base::Status status = kit::ReadFlag(key, value, flag);
  return status.ok() ? status
                     : base::InvalidArgument("parameter '" + std::string(key) + "' is '" + std::string(value) +
                                             "', not YES or NO");
}

base::Status KeepProperty(Key key, Value value, CompileSettings* settings) {
  if (key.starts_with(kOperator)) key.remove_prefix(kOperator.size());
  settings->properties[std::string(key)] = value;
  return base::OkStatus();
}

base::Status RefuseFile(Key key, Value, CompileSettings*) {
  return base::PermissionDenied("parameter '" + std::string(key) + "' names a folder, which is the operator's to do: " +
                                "--engine-parameter openvino:operator." + std::string(key) + "=VALUE");
}

base::Status RefuseExtension(Key key, Value, CompileSettings*) {
  return base::InvalidArgument("parameter '" + std::string(key) +
                               "' is not taken: libraries with operators are named by "
                               "model_operations { op_library_filename }");
}

base::Status CheckDevice(Key key, Value value, CompileSettings*) {
  if (value == "CPU") return base::OkStatus();
  return base::InvalidArgument("parameter '" + std::string(key) + "' is '" + std::string(value) +
                               "': models run on the CPU alone");
}

// An instance has one stream here, and the configuration says how many instances there are.
base::Status CheckStreams(Key key, Value value, CompileSettings*) {
  int streams = 0;
  if (value == "AUTO" || value == "NUMA") return base::OkStatus();
  return kit::ReadNumber(key, value, 0, kThreadsMax, &streams);
}

base::Status SetBf16(Key key, Value value, CompileSettings* settings) {
  bool hint = false;
  INFERD_RETURN_IF_ERROR(ReadYes(key, value, &hint));
  if (hint) settings->properties["INFERENCE_PRECISION_HINT"] = "bf16";
  return base::OkStatus();
}

struct Row {
  std::string_view name;
  base::Status (*apply)(Key key, Value value, CompileSettings* settings);
};

constexpr Row kRows[] = {
    {"INFERENCE_NUM_THREADS",
     [](Key key, Value value, CompileSettings* settings) {
       return kit::ReadNumber(key, value, 0, kThreadsMax, &settings->inference_threads);
     }},
    {"NUM_STREAMS", CheckStreams},
    {"PERFORMANCE_HINT", KeepProperty},
    {"EXECUTION_MODE_HINT", KeepProperty},
    {"INFERENCE_PRECISION_HINT", KeepProperty},
    {"HINT_BF16", SetBf16},
    {"RESHAPE_IO_LAYERS",
     [](Key key, Value value, CompileSettings* settings) { return ReadYes(key, value, &settings->reshape); }},
    {"SHAPE",
     [](Key key, Value value, CompileSettings* settings) {
       return settings->shapes.ReadShape(value).WithContext("parameter '" + std::string(key) + "'");
     }},
    {"BATCH_SIZE",
     [](Key key, Value value, CompileSettings* settings) {
       return settings->shapes.ReadBatchSize(value).WithContext("parameter '" + std::string(key) + "'");
     }},
    {"CPU_DENORMALS_OPTIMIZATION", KeepProperty},
    {"CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE", KeepProperty},
    {"DYNAMIC_QUANTIZATION_GROUP_SIZE", KeepProperty},
    {"ENABLE_CPU_PINNING", KeepProperty},
    {"ENABLE_HYPER_THREADING", KeepProperty},
    {"SCHEDULING_CORE_TYPE", KeepProperty},
    {"TARGET_DEVICE", CheckDevice},
    {"CPU_EXTENSION_PATH", RefuseExtension},
    {"CACHE_DIR", RefuseFile},
    {"operator.CACHE_DIR", KeepProperty},
};

}  // namespace

std::vector<std::string_view> CompileParameterNames() { return kit::ParameterNames(kRows); }

base::Result<CompileSettings> CompileSettings::Parse(const inferd_load& load) {
  CompileSettings settings;
  INFERD_RETURN_IF_ERROR(kit::ApplyParameters(kRows, load, &settings));
  return settings;
}

std::map<std::string, std::string> CompileSettings::PropertiesFor(int compute_threads) const {
  // Otherwise some CPUs compute with less precision, and results depend on the machine. Without streams, an execution
  // runs on the calling thread only, and the library starts no threads. With streams, a stream's thread would share the
  // work, but threads of several models would all be pinned to the first cores.
  std::map<std::string, std::string> all = {{"INFERENCE_PRECISION_HINT", "f32"},
                                            {"PERFORMANCE_HINT", "LATENCY"},
                                            {"ENABLE_CPU_PINNING", "NO"},
                                            {"NUM_STREAMS", compute_threads > 1 ? "1" : "0"},
                                            {"INFERENCE_NUM_THREADS", std::to_string(compute_threads)}};
  for (const auto& [name, value] : properties) all[name] = value;
  return all;
}

}  // namespace inferd::openvino
