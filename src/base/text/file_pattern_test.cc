#include "base/text/file_pattern.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(FilePatternTest, TheStarIsOneCharacterOrMore) {
  EXPECT_EQ(StarOf("*.onnx", "net.onnx"), "net");
  EXPECT_EQ(StarOf("*.onnx", "net.tar.onnx"), "net.tar");
  EXPECT_EQ(StarOf("*.onnx", ".onnx"), std::nullopt);
  EXPECT_EQ(StarOf("*.onnx", "net.onnx.bak"), std::nullopt);
  EXPECT_EQ(StarOf("init_*.netdef", "init_a.netdef"), "a");
  EXPECT_EQ(StarOf("init_*.netdef", "a.netdef"), std::nullopt);
  EXPECT_EQ(StarOf("*.onnx", ""), std::nullopt);
}

TEST(FilePatternTest, EndingsMayBeWrittenInAnyCase) {
  EXPECT_EQ(StarOf("*.joblib", "Model.JOBLIB"), "Model");
  EXPECT_EQ(StarOf("init_*.netdef", "INIT_a.netdef"), std::nullopt);
}

TEST(FilePatternTest, WithoutAStarItIsTheName) {
  EXPECT_EQ(StarOf("MLmodel", "MLmodel"), "");
  EXPECT_EQ(StarOf("MLmodel", "mlmodel"), std::nullopt);
}

TEST(FilePatternTest, FillsTheStarIn) {
  EXPECT_EQ(WithStar("*-0000.params", "net"), "net-0000.params");
  EXPECT_EQ(WithStar("MLmodel", "net"), "MLmodel");
}

}  // namespace
}  // namespace inferd::base
