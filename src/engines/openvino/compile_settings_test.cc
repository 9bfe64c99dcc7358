#include "engines/openvino/compile_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/parameter_tables.h"

namespace inferd::openvino {
namespace {

using support::DocumentedNames;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Pair;

constexpr auto Parse = support::ParseSettings<CompileSettings>;

TEST(CompileSettingsTest, ThePageListsThemAll) {
  EXPECT_THAT(DocumentedNames(INFERD_OPENVINO_PAGE), ElementsAreArray(CompileParameterNames()));
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
