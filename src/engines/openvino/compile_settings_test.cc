#include "engines/openvino/compile_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace inferd::openvino {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Pair;

inferd_text Text(const char* text) { return {text, std::char_traits<char>::length(text)}; }

base::Result<CompileSettings> Parse(std::vector<std::pair<const char*, const char*>> parameters) {
  std::vector<inferd_pair> pairs;
  for (const auto& [key, value] : parameters) pairs.push_back({Text(key), Text(value)});
  inferd_load load = {};
  load.parameters = pairs.data();
  load.parameter_count = pairs.size();
  return CompileSettings::Parse(load);
}

// The names in the first column of the page's table of parameters.
std::vector<std::string> DocumentedNames() {
  std::ifstream page(INFERD_OPENVINO_PAGE);
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| parameter |")) inside = true;
    if (inside && line.empty()) break;
    if (inside && line.starts_with("| `")) names.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

TEST(CompileSettingsTest, ThePageListsThemAll) {
  EXPECT_THAT(DocumentedNames(), ElementsAreArray(CompileParameterNames()));
}

TEST(CompileSettingsTest, WithoutParametersItIsTheCallingThreadInFullPrecision) {
  const auto settings = Parse({});
  ASSERT_TRUE(settings.has_value());
  EXPECT_THAT(settings->PropertiesFor(1),
              IsSupersetOf({Pair("INFERENCE_PRECISION_HINT", "f32"), Pair("NUM_STREAMS", "0"),
                            Pair("PERFORMANCE_HINT", "LATENCY")}));
  EXPECT_THAT(settings->PropertiesFor(3), IsSupersetOf({Pair("NUM_STREAMS", "1"), Pair("INFERENCE_NUM_THREADS", "3"),
                                                        Pair("ENABLE_CPU_PINNING", "NO")}));
}

TEST(CompileSettingsTest, TheyAreTakenOver) {
  const auto settings = Parse({{"INFERENCE_NUM_THREADS", "3"},
                               {"NUM_STREAMS", "AUTO"},
                               {"PERFORMANCE_HINT", "THROUGHPUT"},
                               {"HINT_BF16", "YES"},
                               {"RESHAPE_IO_LAYERS", "YES"},
                               {"TARGET_DEVICE", "CPU"},
                               {"operator.CACHE_DIR", "/tmp/cache"},
                               {"somebody_elses", "x"}});
  ASSERT_TRUE(settings.has_value()) << settings.error().ToString();
  EXPECT_EQ(settings->inference_threads, 3);
  EXPECT_TRUE(settings->reshape);
  EXPECT_THAT(settings->PropertiesFor(1),
              IsSupersetOf({Pair("PERFORMANCE_HINT", "THROUGHPUT"), Pair("INFERENCE_PRECISION_HINT", "bf16"),
                            Pair("CACHE_DIR", "/tmp/cache")}));
  EXPECT_FALSE(settings->properties.contains("somebody_elses"));
}

TEST(CompileSettingsTest, WrongOnesAreNamed) {
  struct Case {
    const char* key;
    const char* value;
    const char* says;
  };
  constexpr Case kCases[] = {
      {"INFERENCE_NUM_THREADS", "many", "INFERENCE_NUM_THREADS"},
      {"NUM_STREAMS", "some", "NUM_STREAMS"},
      {"HINT_BF16", "perhaps", "not YES or NO"},
      {"RESHAPE_IO_LAYERS", "", "not YES or NO"},
      {"TARGET_DEVICE", "GPU", "'GPU': models run on the CPU alone"},
      {"CPU_EXTENSION_PATH", "/lib/x.so", "op_library_filename"},
      {"CACHE_DIR", "/tmp", "--engine-parameter openvino:operator.CACHE_DIR=VALUE"},
  };
  for (const Case& each : kCases) {
    const auto settings = Parse({{each.key, each.value}});
    ASSERT_FALSE(settings.has_value()) << each.key;
    EXPECT_THAT(settings.error().message(), HasSubstr(each.says));
  }
}

}  // namespace
}  // namespace inferd::openvino
