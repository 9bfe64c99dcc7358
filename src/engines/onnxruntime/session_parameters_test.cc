#include "engines/onnxruntime/session_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/parameter_tables.h"

namespace inferd::onnxruntime {
namespace {

using support::DocumentedNames;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

TEST(SessionParametersTest, ThePageListsThemAll) {
  EXPECT_THAT(DocumentedNames(INFERD_ONNX_PAGE), ElementsAreArray(SessionParameterNames()));
}

TEST(SessionParametersTest, TheyAreTakenOver) {
  SessionSettings settings;
  const auto apply = [&settings](std::string_view key, std::string_view value) {
    return ApplyParameter(key, value, &settings);
  };
  EXPECT_TRUE(apply("intra_op_thread_count", "3").ok());
  EXPECT_TRUE(apply("inter_op_thread_count", "2").ok());
  EXPECT_TRUE(apply("execution_mode", "1").ok());
  EXPECT_TRUE(apply("enable_mem_arena", "0").ok());
  EXPECT_TRUE(apply("enable_mem_pattern", "0").ok());
  EXPECT_TRUE(apply("memory.enable_memory_arena_shrinkage", "cpu:0").ok());
  EXPECT_TRUE(apply("session.set_denormal_as_zero", "1").ok());
  EXPECT_TRUE(apply("gpu_mem_limit", "1024").ok());
  EXPECT_TRUE(apply("somebody_elses", "x").ok());
  EXPECT_EQ(settings.intra_op_threads, 3);
  EXPECT_EQ(settings.inter_op_threads, 2);
  EXPECT_TRUE(settings.parallel_execution);
  EXPECT_FALSE(settings.memory_arena);
  EXPECT_FALSE(settings.memory_pattern);
  EXPECT_EQ(settings.arena_shrinkage, "cpu:0");
  EXPECT_EQ(settings.session_entries.at("session.set_denormal_as_zero"), "1");
  EXPECT_EQ(settings.session_entries.size(), 1u);
  EXPECT_EQ(settings.gpu.cuda.at("gpu_mem_limit"), "1024");
  EXPECT_THAT(apply("intra_op_thread_count", "many").message(), HasSubstr("intra_op_thread_count"));
  EXPECT_FALSE(apply("enable_mem_arena", "perhaps").ok());
}

}  // namespace
}  // namespace inferd::onnxruntime
