#include "engines/onnxruntime/gpu/provider_parameters.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>

#include "engines/kit/parameters.h"

namespace inferd::onnxruntime {

namespace {

using std::string_view;

enum class Form {
  kFlag,    // true, false, 1 or 0
  kNumber,  // a decimal number, possibly negative
  kWord,    // one of `words`; if they are numbered, also its number
  kText,
  kName,   // part of a file's name
  kFile,   // a file or folder: for the operator only
  kWrite,  // a flag that makes the server write files: for the operator only
};

struct Row {
  string_view name;
  Form form;
  string_view option = {};  // ONNX Runtime's name, if different
  std::span<const string_view> words = {};
};

constexpr string_view kAlgorithms[] = {"EXHAUSTIVE", "HEURISTIC", "DEFAULT"};
constexpr string_view kStrategies[] = {"kNextPowerOfTwo", "kSameAsRequested"};
constexpr string_view kPrecisions[] = {"FP32", "FP16", "BF16", "INT8"};

constexpr Row kCuda[] = {
    {"cudnn_conv_algo_search", Form::kWord, {}, kAlgorithms},
    {"gpu_mem_limit", Form::kNumber},
    {"arena_extend_strategy", Form::kWord, {}, kStrategies},
    {"do_copy_in_default_stream", Form::kFlag},
    {"cudnn_conv_use_max_workspace", Form::kFlag},
    {"cudnn_conv1d_pad_to_nc1d", Form::kFlag},
    {"enable_cuda_graph", Form::kFlag},
    {"enable_skip_layer_norm_strict_mode", Form::kFlag},
    {"fuse_conv_bias", Form::kFlag},
    {"prefer_nhwc", Form::kFlag},
    {"sdpa_kernel", Form::kNumber},
    {"tunable_op_enable", Form::kFlag},
    {"tunable_op_max_tuning_duration_ms", Form::kNumber},
    {"tunable_op_tuning_enable", Form::kFlag},
    {"use_ep_level_unified_stream", Form::kFlag},
    {"use_tf32", Form::kFlag},
};

constexpr Row kTensorRt[] = {
    {"precision_mode", Form::kWord, {}, kPrecisions},
    {"max_workspace_size_bytes", Form::kNumber, "trt_max_workspace_size"},
    {"int8_calibration_table_name", Form::kFile, "trt_int8_calibration_table_name"},
    {"int8_use_native_calibration_table", Form::kFlag, "trt_int8_use_native_calibration_table"},
    {"trt_auxiliary_streams", Form::kNumber},
    {"trt_build_heuristics_enable", Form::kFlag},
    {"trt_builder_optimization_level", Form::kNumber},
    {"trt_context_memory_sharing_enable", Form::kFlag},
    {"trt_cuda_graph_enable", Form::kFlag},
    {"trt_detailed_build_log", Form::kFlag},
    {"trt_dla_core", Form::kNumber},
    {"trt_dla_enable", Form::kFlag},
    {"trt_dump_ep_context_model", Form::kWrite},
    {"trt_dump_subgraphs", Form::kWrite},
    {"trt_engine_cache_enable", Form::kFlag},
    {"trt_engine_cache_path", Form::kFile},
    {"trt_engine_cache_prefix", Form::kName},
    {"trt_ep_context_embed_mode", Form::kNumber},
    {"trt_ep_context_file_path", Form::kFile},
    {"trt_extra_plugin_lib_paths", Form::kFile},
    {"trt_force_sequential_engine_build", Form::kFlag},
    {"trt_force_timing_cache", Form::kFlag},
    {"trt_layer_norm_fp32_fallback", Form::kFlag},
    {"trt_max_partition_iterations", Form::kNumber},
    {"trt_min_subgraph_size", Form::kNumber},
    {"trt_profile_max_shapes", Form::kText},
    {"trt_profile_min_shapes", Form::kText},
    {"trt_profile_opt_shapes", Form::kText},
    {"trt_sparsity_enable", Form::kFlag},
    {"trt_tactic_sources", Form::kText},
    {"trt_timing_cache_enable", Form::kFlag},
    {"trt_timing_cache_path", Form::kFile},
};

constexpr string_view kCudaName = "cuda";
constexpr string_view kTensorRtName = "tensorrt";
constexpr string_view kNames[] = {kCudaName, kTensorRtName};

std::span<const Row> RowsOf(string_view name) {
  if (name == kCudaName) return kCuda;
  if (name == kTensorRtName) return kTensorRt;
  return {};
}

std::string Quoted(string_view text) { return "'" + std::string(text) + "'"; }

base::Status Wrong(string_view name, string_view key, const std::string& expected, string_view value) {
  return base::InvalidArgument("parameter " + Quoted(key) + " of accelerator " + Quoted(name) + ": expected " +
                               expected + ", got " + Quoted(value));
}

base::Result<std::string> ReadWord(string_view name, const Row& row, string_view value) {
  std::string expected;
  for (size_t i = 0; i < row.words.size(); ++i) {
    if (value == row.words[i] || value == std::to_string(i)) return std::string(row.words[i]);
    expected += (i == 0 ? "" : ", ") + std::string(row.words[i]);
  }
  return std::unexpected(Wrong(name, row.name, "one of " + expected, value));
}

// Converts a value to ONNX Runtime's form.
base::Result<std::string> ReadValue(string_view name, const Row& row, string_view value) {
  switch (row.form) {
    case Form::kFlag:
    case Form::kWrite: {
      bool flag = false;
      if (!kit::ReadFlag(row.name, value, &flag).ok()) {
        return std::unexpected(Wrong(name, row.name, "true or false", value));
      }
      return std::string(flag ? "1" : "0");
    }
    case Form::kNumber: {
      const size_t sign = value.starts_with('-') ? 1 : 0;
      uint64_t number = 0;
      const auto [end, error] = std::from_chars(value.data() + sign, value.data() + value.size(), number);
      if (error != std::errc() || end != value.data() + value.size()) {
        return std::unexpected(Wrong(name, row.name, "a number", value));
      }
      return std::string(value);
    }
    case Form::kWord: return ReadWord(name, row, value);
    case Form::kName:
      if (value.find('/') != string_view::npos) {
        return std::unexpected(Wrong(name, row.name, "the beginning of a file's name", value));
      }
      return std::string(value);
    case Form::kText:
    case Form::kFile: return std::string(value);
  }
  return std::string(value);
}

std::string OperatorsWay(string_view key) {
  return "--engine-parameter onnxruntime:operator.tensorrt." + std::string(key) + "=VALUE";
}

base::Status Apply(string_view name, string_view key, string_view value, bool from_operator, GpuProviders* providers) {
  const std::span<const Row> rows = RowsOf(name);
  const auto row = std::ranges::find(rows, key, &Row::name);
  if (row == rows.end()) {
    return base::InvalidArgument("unknown parameter " + Quoted(key) + " is provided for accelerator " + Quoted(name));
  }
  if ((row->form == Form::kFile || row->form == Form::kWrite) && !from_operator) {
    return base::PermissionDenied("parameter " + Quoted(key) + " of accelerator " + Quoted(name) +
                                  " names files, which is the operator's to do: " + OperatorsWay(key));
  }
  INFERD_ASSIGN_OR_RETURN(const std::string read, ReadValue(name, *row, value));
  if (key == "enable_cuda_graph" || key == "trt_cuda_graph_enable") {
    providers->cuda_graphs = read == "1";  // the options follow if executions can be graphs
    return base::OkStatus();
  }
  if (key == "precision_mode") {
    for (const auto& [precision, option] :
         {std::pair{"FP16", "trt_fp16_enable"}, {"BF16", "trt_bf16_enable"}, {"INT8", "trt_int8_enable"}}) {
      if (read == precision) providers->tensorrt[option] = "1";
    }
    return base::OkStatus();
  }
  auto& options = name == kCudaName ? providers->cuda : providers->tensorrt;
  options[std::string(row->option.empty() ? row->name : row->option)] = read;
  return base::OkStatus();
}

}  // namespace

base::Status ApplyAccelerator(string_view name, GpuProviders* providers) {
  if (RowsOf(name).empty()) {
    return base::InvalidArgument("unknown Execution Accelerator " + Quoted(name) + " is requested; there are " +
                                 Quoted(kCudaName) + " and " + Quoted(kTensorRtName));
  }
  if (name == kTensorRtName) providers->use_tensorrt = true;
  return base::OkStatus();
}

base::Status ApplyAcceleratorParameter(string_view name, string_view key, string_view value, GpuProviders* providers) {
  return Apply(name, key, value, false, providers);
}

base::Status ApplyOperatorParameter(string_view name, string_view key, string_view value, GpuProviders* providers) {
  return Apply(name, key, value, true, providers);
}

base::Status CheckFiles(const GpuProviders& providers) {
  for (const auto& [flag, path] : {std::pair{"trt_engine_cache_enable", "trt_engine_cache_path"},
                                   {"trt_timing_cache_enable", "trt_timing_cache_path"}}) {
    const auto set = providers.tensorrt.find(flag);
    if (set == providers.tensorrt.end() || set->second != "1" || providers.tensorrt.contains(path)) continue;
    return base::FailedPrecondition(
        "parameter " + Quoted(flag) +
        " of accelerator 'tensorrt' needs a folder, which is the operator's to name: " + OperatorsWay(path));
  }
  return base::OkStatus();
}

std::vector<string_view> AcceleratorNames() { return {std::begin(kNames), std::end(kNames)}; }

std::vector<string_view> AcceleratorParameterNames(string_view name) {
  std::vector<string_view> names;
  for (const Row& row : RowsOf(name)) names.push_back(row.name);
  return names;
}

}  // namespace inferd::onnxruntime
