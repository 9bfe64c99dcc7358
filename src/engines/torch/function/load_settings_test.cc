#include "engines/torch/function/load_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/parameter_tables.h"

namespace inferd::torchscript {
namespace {

using support::DocumentedNames;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr auto Parse = support::ParseSettings<LoadSettings>;

TEST(LoadSettingsTest, ThePageListsThemAll) {
  EXPECT_THAT(DocumentedNames(INFERD_TORCH_PAGE), ElementsAreArray(LoadParameterNames()));
}

TEST(LoadSettingsTest, EachIsActedOn) {
  const auto settings = Parse({{"INTRA_OP_THREAD_COUNT", "3"},
                               {"DISABLE_OPTIMIZED_EXECUTION", "true"},
                               {"INFERENCE_MODE", "false"},
                               {"ENABLE_JIT_EXECUTOR", "0"},
                               {"ENABLE_JIT_PROFILING", "false"},
                               {"MODULE_METHOD_NAME", "encode"},
                               {"FREEZE", "false"},
                               {"another", "engine's"}});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->intra_op_threads, 3);
  EXPECT_FALSE(settings->optimized);
  EXPECT_FALSE(settings->inference_mode);
  EXPECT_FALSE(settings->new_executor);
  EXPECT_FALSE(settings->profiling);
  EXPECT_EQ(settings->method, "encode");
  EXPECT_FALSE(settings->freeze);
  EXPECT_TRUE(settings->ignored.empty());
}

TEST(LoadSettingsTest, OthersAreNamedAsIgnored) {
  const auto settings = Parse({{"ENABLE_CACHE_CLEANING", "true"}, {"INTER_OP_THREAD_COUNT", "4"}});
  ASSERT_TRUE(settings.has_value());
  EXPECT_THAT(settings->ignored, ElementsAre("ENABLE_CACHE_CLEANING", "INTER_OP_THREAD_COUNT"));
}

TEST(LoadSettingsTest, WrongValuesAreErrorsByName) {
  for (const std::string_view name : LoadParameterNames()) {
    const auto settings = Parse({{std::string(name), name == "MODULE_METHOD_NAME" ? "" : "perhaps"}});
    ASSERT_FALSE(settings.has_value()) << name;
    EXPECT_THAT(settings.error().message(), HasSubstr(std::string(name)));
  }
}

}  // namespace
}  // namespace inferd::torchscript
