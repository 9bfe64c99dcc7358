#include "config/accelerator_parameters.h"

namespace inferd::config {
namespace {

constexpr std::string_view kCuda[] = {
    "cudnn_conv_algo_search",
    "gpu_mem_limit",
    "arena_extend_strategy",
    "do_copy_in_default_stream",
    "cudnn_conv_use_max_workspace",
    "cudnn_conv1d_pad_to_nc1d",
    "enable_cuda_graph",
    "enable_skip_layer_norm_strict_mode",
    "fuse_conv_bias",
    "prefer_nhwc",
    "sdpa_kernel",
    "tunable_op_enable",
    "tunable_op_max_tuning_duration_ms",
    "tunable_op_tuning_enable",
    "use_ep_level_unified_stream",
    "use_tf32",
};

constexpr std::string_view kTensorRt[] = {
    "precision_mode",
    "max_workspace_size_bytes",
    "int8_calibration_table_name",
    "int8_use_native_calibration_table",
    "trt_auxiliary_streams",
    "trt_build_heuristics_enable",
    "trt_builder_optimization_level",
    "trt_context_memory_sharing_enable",
    "trt_cuda_graph_enable",
    "trt_detailed_build_log",
    "trt_dla_core",
    "trt_dla_enable",
    "trt_dump_ep_context_model",
    "trt_dump_subgraphs",
    "trt_engine_cache_enable",
    "trt_engine_cache_path",
    "trt_engine_cache_prefix",
    "trt_ep_context_embed_mode",
    "trt_ep_context_file_path",
    "trt_extra_plugin_lib_paths",
    "trt_force_sequential_engine_build",
    "trt_force_timing_cache",
    "trt_layer_norm_fp32_fallback",
    "trt_max_partition_iterations",
    "trt_min_subgraph_size",
    "trt_profile_max_shapes",
    "trt_profile_min_shapes",
    "trt_profile_opt_shapes",
    "trt_sparsity_enable",
    "trt_tactic_sources",
    "trt_timing_cache_enable",
    "trt_timing_cache_path",
};

}  // namespace

std::span<const std::string_view> AcceleratorParameters(std::string_view accelerator) {
  if (accelerator == "cuda") return kCuda;
  if (accelerator == "tensorrt") return kTensorRt;
  return {};
}

std::string KnownAccelerators() { return "'cuda' and 'tensorrt'"; }

}  // namespace inferd::config
