#include "engines/torch/load_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace inferd::torchscript {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

inferd_text Text(const char* text) { return {text, std::char_traits<char>::length(text)}; }

base::Result<LoadSettings> Parse(std::vector<std::pair<const char*, const char*>> parameters) {
  std::vector<inferd_pair> pairs;
  for (const auto& [key, value] : parameters) pairs.push_back({Text(key), Text(value)});
  inferd_load load = {};
  load.parameters = pairs.data();
  load.parameter_count = pairs.size();
  return LoadSettings::Parse(load);
}

// The names in the first column of the page's table of parameters.
std::vector<std::string> DocumentedNames() {
  std::ifstream page(INFERD_TORCH_PAGE);
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| parameter |")) inside = true;
    if (inside && line.empty()) break;
    if (inside && line.starts_with("| `")) names.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

TEST(LoadSettingsTest, ThePageListsThemAll) { EXPECT_THAT(DocumentedNames(), ElementsAreArray(LoadParameterNames())); }

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
    const auto settings = Parse({{std::string(name).c_str(), name == "MODULE_METHOD_NAME" ? "" : "perhaps"}});
    ASSERT_FALSE(settings.has_value()) << name;
    EXPECT_THAT(settings.error().message(), HasSubstr(std::string(name)));
  }
}

}  // namespace
}  // namespace inferd::torchscript
