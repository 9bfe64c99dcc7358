#include "ctl/init/model_name.h"

#include <gtest/gtest.h>

namespace inferd::ctl {
namespace {

TEST(ModelNameTest, AFileGivesItsNameWithoutTheEnding) {
  EXPECT_EQ(DefaultModelName("/a/iris.onnx", false), "iris");
  EXPECT_EQ(DefaultModelName("/a/yolo.v8.onnx", false), "yolo.v8");
  EXPECT_EQ(DefaultModelName("/a/resnet-symbol.json", false), "resnet");
  EXPECT_EQ(DefaultModelName("iris", false), "iris");
}

TEST(ModelNameTest, AFolderGivesItsName) {
  EXPECT_EQ(DefaultModelName("/a/half.plus", true), "half.plus");
  EXPECT_EQ(DefaultModelName("/a/half/", true), "half");
  EXPECT_EQ(DefaultModelName("/a/half/./b/..", true), "half");
  EXPECT_EQ(DefaultModelName("/a/half.savedmodel", true), "half");
}

TEST(ModelNameTest, AVersionsFolderGivesTheModelsName) {
  EXPECT_EQ(DefaultModelName("/a/half/00012", true), "half");
  EXPECT_EQ(DefaultModelName("/a/half/12.onnx", false), "12");
}

TEST(ModelNameTest, OtherCharactersAreReplaced) {
  EXPECT_EQ(DefaultModelName("/a/my model (1).onnx", false), "my_model__1_");
  EXPECT_EQ(DefaultModelName("/a/--net.onnx", false), "net");
  EXPECT_EQ(DefaultModelName("/a/größe.onnx", false), "größe");
  EXPECT_EQ(DefaultModelName("/a/a\xff\n.onnx", false), "a__");
  EXPECT_EQ(DefaultModelName("/", true), "model");
  EXPECT_EQ(DefaultModelName("/a/" + std::string(254, 'a') + "\u00e9.onnx", false), std::string(254, 'a'));
}

TEST(ModelNameTest, EveryDefaultNameIsLegal) {
  for (const char* path : {"/a/.onnx", "/a/..b.onnx", "/a/a\x01.onnx", "/", "/a/-", "/a/\xff\xff"}) {
    EXPECT_TRUE(CheckModelName(DefaultModelName(path, false)).ok()) << path;
    EXPECT_TRUE(CheckModelName(DefaultModelName(path, true)).ok()) << path;
  }
}

TEST(ModelNameTest, AGivenNameMustBeAFoldersName) {
  EXPECT_TRUE(CheckModelName("iris 2").ok()) << "a person may want it";
  for (const char* name : {"", ".iris", "..", "a/b", "a\nb", "\xff"}) EXPECT_FALSE(CheckModelName(name).ok()) << name;
  EXPECT_FALSE(CheckModelName(std::string(256, 'a')).ok());
}

}  // namespace
}  // namespace inferd::ctl
