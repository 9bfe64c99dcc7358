#include "engines/onnxruntime/gpu/provider_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/parameter_tables.h"

namespace inferd::onnxruntime {
namespace {

using support::DocumentedNames;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

base::Status Apply(GpuProviders& providers, std::string_view name, std::string_view key, std::string_view value) {
  return ApplyAcceleratorParameter(name, key, value, &providers);
}

TEST(ProviderParametersTest, ThePageListsThemAll) {
  EXPECT_THAT(DocumentedNames(INFERD_ONNX_PAGE, "parameter of `cuda`"),
              ElementsAreArray(AcceleratorParameterNames("cuda")));
  EXPECT_THAT(DocumentedNames(INFERD_ONNX_PAGE, "parameter of `tensorrt`"),
              ElementsAreArray(AcceleratorParameterNames("tensorrt")));
  EXPECT_THAT(AcceleratorNames(), ElementsAre("cuda", "tensorrt"));
}

TEST(ProviderParametersTest, TheyBecomeTheLibrarysOptions) {
  GpuProviders providers;
  EXPECT_TRUE(ApplyAccelerator("cuda", &providers).ok());
  EXPECT_FALSE(providers.use_tensorrt);
  EXPECT_TRUE(Apply(providers, "cuda", "cudnn_conv_algo_search", "1").ok());
  EXPECT_TRUE(Apply(providers, "cuda", "arena_extend_strategy", "kSameAsRequested").ok());
  EXPECT_TRUE(Apply(providers, "cuda", "gpu_mem_limit", "18446744073709551615").ok());
  EXPECT_TRUE(Apply(providers, "cuda", "do_copy_in_default_stream", "true").ok());
  EXPECT_TRUE(Apply(providers, "cuda", "use_tf32", "0").ok());
  EXPECT_THAT(providers.cuda, UnorderedElementsAre(Pair("cudnn_conv_algo_search", "HEURISTIC"),
                                                   Pair("arena_extend_strategy", "kSameAsRequested"),
                                                   Pair("gpu_mem_limit", "18446744073709551615"),
                                                   Pair("do_copy_in_default_stream", "1"), Pair("use_tf32", "0")));
  EXPECT_FALSE(providers.cuda_graphs);
  EXPECT_TRUE(Apply(providers, "cuda", "enable_cuda_graph", "1").ok());
  EXPECT_TRUE(providers.cuda_graphs);

  EXPECT_TRUE(ApplyAccelerator("tensorrt", &providers).ok());
  EXPECT_TRUE(providers.use_tensorrt);
  EXPECT_TRUE(Apply(providers, "tensorrt", "max_workspace_size_bytes", "1073741824").ok());
  EXPECT_TRUE(Apply(providers, "tensorrt", "trt_auxiliary_streams", "-1").ok());
  EXPECT_TRUE(Apply(providers, "tensorrt", "trt_profile_min_shapes", "x:1x3").ok());
  EXPECT_THAT(providers.tensorrt,
              UnorderedElementsAre(Pair("trt_max_workspace_size", "1073741824"), Pair("trt_auxiliary_streams", "-1"),
                                   Pair("trt_profile_min_shapes", "x:1x3")));
}

TEST(ProviderParametersTest, PrecisionIsAnOptionForEach) {
  const std::pair<const char*, const char*> kModes[] = {
      {"FP16", "trt_fp16_enable"}, {"BF16", "trt_bf16_enable"}, {"INT8", "trt_int8_enable"}};
  for (const auto& [mode, option] : kModes) {
    GpuProviders providers;
    EXPECT_TRUE(Apply(providers, "tensorrt", "precision_mode", mode).ok());
    EXPECT_THAT(providers.tensorrt, ElementsAre(Pair(option, "1")));
  }
  GpuProviders providers;
  EXPECT_TRUE(Apply(providers, "tensorrt", "precision_mode", "FP32").ok());
  EXPECT_THAT(providers.tensorrt, IsEmpty());
}

TEST(ProviderParametersTest, WhatIsNotKnownIsRefused) {
  GpuProviders providers;
  EXPECT_EQ(
      ApplyAccelerator("openvino", &providers),
      base::InvalidArgument("unknown Execution Accelerator 'openvino' is requested; there are 'cuda' and 'tensorrt'"));
  const struct {
    const char *name, *key, *value, *error;
  } kWrong[] = {
      {"cuda", "speed", "1", "unknown parameter 'speed' is provided for accelerator 'cuda'"},
      {"tensorrt", "gpu_mem_limit", "1", "unknown parameter 'gpu_mem_limit' is provided for accelerator 'tensorrt'"},
      {"cuda", "device_id", "1", "unknown parameter 'device_id' is provided for accelerator 'cuda'"},
      {"cuda", "user_compute_stream", "1", "unknown parameter 'user_compute_stream'"},
      {"cuda", "gpu_mem_limit", "much",
       "parameter 'gpu_mem_limit' of accelerator 'cuda': expected a number, got 'much'"},
      {"cuda", "gpu_mem_limit", "", "expected a number, got ''"},
      {"cuda", "gpu_mem_limit", "99999999999999999999999", "expected a number"},
      {"cuda", "use_tf32", "2", "expected true or false, got '2'"},
      {"cuda", "cudnn_conv_algo_search", "3", "expected one of EXHAUSTIVE, HEURISTIC, DEFAULT, got '3'"},
      {"tensorrt", "precision_mode", "FP8", "expected one of FP32, FP16, BF16, INT8, got 'FP8'"},
      {"tensorrt", "trt_engine_cache_prefix", "../x", "expected the beginning of a file's name, got '../x'"},
  };
  for (const auto& wrong : kWrong) {
    const base::Status status = Apply(providers, wrong.name, wrong.key, wrong.value);
    EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument) << wrong.key;
    EXPECT_THAT(status.message(), HasSubstr(wrong.error));
  }
  EXPECT_THAT(providers.cuda, IsEmpty());
  EXPECT_THAT(providers.tensorrt, IsEmpty());
}

TEST(ProviderParametersTest, FilesAreTheOperatorsToName) {
  for (const char* key :
       {"int8_calibration_table_name", "trt_engine_cache_path", "trt_ep_context_file_path",
        "trt_extra_plugin_lib_paths", "trt_timing_cache_path", "trt_dump_subgraphs", "trt_dump_ep_context_model"}) {
    GpuProviders providers;
    const base::Status refused = Apply(providers, "tensorrt", key, "1");
    EXPECT_EQ(refused.code(), base::StatusCode::kPermissionDenied) << key;
    EXPECT_THAT(refused.message(), HasSubstr("--engine-parameter onnxruntime:operator.tensorrt." + std::string(key)));
    EXPECT_TRUE(ApplyOperatorParameter("tensorrt", key, "1", &providers).ok()) << key;
  }
  GpuProviders providers;
  EXPECT_TRUE(Apply(providers, "tensorrt", "trt_engine_cache_enable", "1").ok());
  EXPECT_EQ(CheckFiles(providers).code(), base::StatusCode::kFailedPrecondition);
  EXPECT_THAT(CheckFiles(providers).message(), HasSubstr("operator.tensorrt.trt_engine_cache_path=VALUE"));
  EXPECT_TRUE(ApplyOperatorParameter("tensorrt", "trt_engine_cache_path", "/var/cache/plans", &providers).ok());
  EXPECT_TRUE(CheckFiles(providers).ok());
}

}  // namespace
}  // namespace inferd::onnxruntime
