#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "config/options/options_fixture.h"

namespace inferd::config {
namespace option_rows_engines_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(EngineRowsTest, ParametersBelongToAnEngine) {
  const auto parsed = Parse({"m", "--engine-parameter=tensorflow:TF_GRAPH_TAG=serve,gpu",
                             "--engine-parameter=tensorflow:A=", "--engine-parameter=onnxruntime:A=b=c"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_THAT(parsed->options.engine_parameters,
              ElementsAre(Pair("onnxruntime", ElementsAre(Pair("A", "b=c"))),
                          Pair("tensorflow", ElementsAre(Pair("A", ""), Pair("TF_GRAPH_TAG", "serve,gpu")))));
  EXPECT_EQ(Parse({"m"}, {{"INFERD_ENGINE_PARAMETER", "e:A=1,2;e:B=3"}})->options.engine_parameters.at("e").size(), 2u);
}

TEST(EngineRowsTest, FoldersOfOperatorLibrariesAreToldToEveryEngine) {
  const auto parsed = Parse({"m", "--allow-op-library=/a", "--allow-op-library", "/b"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.engine_parameters.at("*").at("operator.libraries"), "/a:/b");
  EXPECT_TRUE(Parse({"m"})->options.engine_parameters.empty());
  EXPECT_NE(ErrorOf({"m", "--allow-op-library=ops"}), "");
  EXPECT_NE(ErrorOf({"m", "--allow-op-library=/a:/b"}), "");
}

TEST(EngineRowsTest, WhosePicklesAreReadIsToldToThePythonEngine) {
  const auto parsed = Parse({"m", "--allow-pickle=iris", "--allow-pickle", "/a/../b", "--allow-pickle=./c"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.engine_parameters.at("python").at("operator.pickles"),
            "iris:/b:" + (std::filesystem::current_path() / "c").string());
  EXPECT_NE(ErrorOf({"m", "--allow-pickle="}), "");
  EXPECT_NE(ErrorOf({"m", "--allow-pickle=/a:/b"}), "");
}

TEST(EngineRowsTest, ThePoolOfPinnedMemoryHasASize) {
  EXPECT_EQ(Parse({"m"})->options.gpus.pinned_pool_bytes, uint64_t{256} << 20);
  EXPECT_EQ(Parse({"m", "--pinned-memory-pool-byte-size=64M"})->options.gpus.pinned_pool_bytes, uint64_t{64} << 20);
  EXPECT_EQ(Parse({"m", "--pinned-memory-pool-byte-size=0"})->options.gpus.pinned_pool_bytes, 0u);
  EXPECT_THAT(ErrorOf({"m", "--pinned-memory-pool-byte-size=-1"}), HasSubstr("--pinned-memory-pool-byte-size"));
}

TEST(EngineRowsTest, ParametersThatAreNone) {
  EXPECT_EQ(ErrorOf({"m", "--engine-parameter=A=1"}), "--engine-parameter: expected ENGINE:NAME=VALUE, got 'A=1'");
  EXPECT_NE(ErrorOf({"m", "--engine-parameter=:A=1"}), "");
  EXPECT_NE(ErrorOf({"m", "--engine-parameter=e:=1"}), "");
  EXPECT_NE(ErrorOf({"m", "--engine-parameter=e:A"}), "");
  EXPECT_EQ(ErrorOf({"m", "--engine-parameter=e:A=1", "--engine-parameter=e:A=1"}),
            "--engine-parameter: parameter 'A' of engine 'e' is given twice");
}

}  // namespace option_rows_engines_test
}  // namespace inferd::config
