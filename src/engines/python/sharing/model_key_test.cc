#include "engines/python/sharing/model_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace inferd::python {
namespace {

using ::testing::SizeIs;

class ModelKeyTest : public ::testing::Test {
 protected:
  ModelKeyTest() {
    dir_.Write("m/config.pbtxt", "backend: \"python\"");
    dir_.Write("m/1/model.py", "import helper");
    dir_.Write("m/1/helper.py", "");
    dir_.Write("m/2/model.py", "");
  }

  std::optional<ModelKey> Key(const std::string& config, int32_t unchecked = 1) const {
    const std::string model_dir = dir_.path() / "m";
    const std::string version_dir = dir_.path() / "m" / "1";
    const std::string file = dir_.path() / "m" / "1" / "model.py";
    const auto text = [](const std::string& each) { return inferd_text{each.data(), each.size()}; };
    inferd_load load = {};
    load.struct_size = sizeof(load);
    load.model_name = {"m", 1};
    load.version = 1;
    load.model_dir = text(model_dir);
    load.version_dir = text(version_dir);
    load.model_file = text(file);
    load.config_json = text(config);
    load.unchecked_outputs = unchecked;
    return KeyOf(load);
  }
  std::string Text(const std::string& config = R"({"max_batch_size":4})") const {
    const auto key = Key(config);
    return key.has_value() ? key->key : "none";
  }

  const support::TempDir dir_;
};

TEST_F(ModelKeyTest, GroupsDifferAndTheKeyDoesNot) {
  const auto one =
      Key(R"({"name":"m","instance_group":[{"name":"a","count":1,"kind":"KIND_CPU","gpus":[]}],"input":[]})");
  const auto more = Key(
      R"({"name":"m","instance_group":[{"name":"b","count":3,"kind":"KIND_CPU"},{"kind":"KIND_GPU","gpus":[0]}],"input":[]})");
  ASSERT_TRUE(one.has_value() && more.has_value());
  EXPECT_EQ(one->key, more->key);
  EXPECT_THAT(one->groups, SizeIs(1));
  EXPECT_THAT(more->groups, SizeIs(2));
  EXPECT_EQ(one->groups[0], more->groups[0]);
  EXPECT_NE(more->groups[0], more->groups[1]);
  const auto limited = Key(R"({"instance_group":[{"kind":"KIND_CPU","rate_limiter":{"priority":2}}]})");
  EXPECT_NE(limited->groups[0], one->groups[0]);
}

TEST_F(ModelKeyTest, AnotherSettingIsAnotherKey) {
  EXPECT_EQ(Text(), Text());
  EXPECT_NE(Text(), Text(R"({"max_batch_size":8})"));
  EXPECT_EQ(Text(), Text(R"({"max_batch_size":4,"optimization":{"priority":"PRIORITY_DEFAULT"}})")) << "without effect";
}

TEST_F(ModelKeyTest, AChangedFileIsAnotherKey) {
  const std::string before = Text();
  dir_.Write("m/config.pbtxt", "backend: \"python\" max_batch_size: 4");
  dir_.Write("m/2/model.py", "another version");
  dir_.Write("m/1/__pycache__/helper.pyc", "compiled");
  EXPECT_EQ(Text(), before);
  dir_.Write("m/1/helper.py", "changed");
  const std::string changed = Text();
  EXPECT_NE(changed, before);
  dir_.Write("m/shared.py", "beside the versions");
  EXPECT_NE(Text(), changed);
}

TEST_F(ModelKeyTest, SomeLoadsShareNothing) {
  EXPECT_FALSE(Key("{}", 0).has_value());
  EXPECT_FALSE(Key("").has_value());
  EXPECT_FALSE(Key("{").has_value());
  EXPECT_FALSE(Key(R"({"model_warmup":[{"name":"w"}]})").has_value());
  EXPECT_TRUE(Key(R"({"model_warmup":[]})").has_value());
}

}  // namespace
}  // namespace inferd::python
