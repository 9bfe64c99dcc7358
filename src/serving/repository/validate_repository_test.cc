#include "serving/repository/validate_repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/fake_engine.h"
#include "tests/support/temp_dir.h"

namespace inferd::repository {
namespace {

using ::testing::HasSubstr;

class ValidateRepositoryTest : public ::testing::Test {
 protected:
  int Validate() {
    core::Engine* const engines[] = {&engine_};
    options_.repositories = {{.name = "r", .path = dir_.path()}};
    std::ostringstream out;
    const int problems = ValidateRepositories(options_, engines, clock_, out);
    text_ = out.str();
    return problems;
  }
  inferd::support::TempDir dir_;
  inferd::support::FakeEngine engine_{"onnxruntime", "model.onnx"};
  base::SystemClock clock_;
  ManagerOptions options_;
  std::string text_;
};

TEST_F(ValidateRepositoryTest, PrintsTheCompletedConfiguration) {
  dir_.Write("m/2/model.onnx", "x");
  dir_.Write("m/config.pbtxt", "dynamic_batching { }");
  EXPECT_EQ(Validate(), 0) << text_;
  EXPECT_THAT(text_, HasSubstr("version 2, completed configuration:\n    "));
  EXPECT_THAT(text_, HasSubstr("    max_batch_size: 64\n"));
  EXPECT_THAT(text_, HasSubstr("1 model, 0 problems\n"));
  EXPECT_EQ(engine_.alive(), 0);
}

TEST_F(ValidateRepositoryTest, WarnsOnceOfFieldsThatAreNotActedOn) {
  for (const char* model : {"a", "b"}) {
    dir_.Write(std::string(model) + "/1/model.onnx", "x");
    dir_.Write(std::string(model) + "/2/model.onnx", "x");
    dir_.Write(
        std::string(model) + "/config.pbtxt",
        "version_policy { all { } }\ncc_model_filenames { key: \"7.5\" value: \"m\" }\ninstance_group { gpus: 0 }\n");
  }
  EXPECT_EQ(Validate(), 0) << text_;
  EXPECT_THAT(text_, HasSubstr("  warning: " + (dir_.path() / "a" / "config.pbtxt").string() +
                               ":2:1: cc_model_filenames: not acted on: the server has no GPUs\n"));
  EXPECT_THAT(text_, HasSubstr("config.pbtxt:3:18: instance_group[0].gpus: not acted on: the group is on the CPU\n"));
  size_t warnings = 0;
  for (size_t at = text_.find("  warning: "); at != std::string::npos; at = text_.find("  warning: ", at + 1)) {
    ++warnings;
  }
  EXPECT_EQ(warnings, 4u) << text_;
}

TEST_F(ValidateRepositoryTest, FindsEveryProblem) {
  dir_.Write("a/1/model.onnx", "x");
  dir_.Write("a/config.pbtxt", "max_batch_size: -1\ninput [ { dims: 0 } ]\n");
  dir_.MakeDir("b/labels");
  dir_.Write("c/1/model.pt", "x");
  dir_.Write("d/01/model.onnx", "x");
  EXPECT_EQ(Validate(), 4) << text_;
  EXPECT_THAT(text_, HasSubstr("max_batch_size"));
  EXPECT_THAT(text_, HasSubstr("at least one version must be available"));
  EXPECT_THAT(text_, HasSubstr("engine for platform pytorch_torchscript is not installed"));
  EXPECT_THAT(text_, HasSubstr("ignore version directory '01' which contains leading zeros in its directory name"));
  EXPECT_THAT(text_, HasSubstr("4 models, 4 problems\n"));
}

TEST_F(ValidateRepositoryTest, WithExplicitControlItLooksAtTheNamedModels) {
  dir_.Write("a/1/model.onnx", "x");
  dir_.Write("b/model.onnx", "x");
  options_.control = config::ControlMode::kExplicit;
  options_.startup_models = {"a"};
  EXPECT_EQ(Validate(), 0) << text_;
  EXPECT_THAT(text_, HasSubstr("1 model, 0 problems\n"));
  options_.startup_models = {"b"};
  EXPECT_EQ(Validate(), 1) << text_;
  EXPECT_THAT(text_, HasSubstr("put model.onnx into a version folder, b/1/model.onnx"));
  options_.startup_models = {};
  EXPECT_EQ(Validate(), 1) << text_;
  EXPECT_THAT(text_, HasSubstr("2 models, 1 problem\n"));
}

TEST_F(ValidateRepositoryTest, AMissingRepositoryIsAProblem) {
  dir_.Remove("");
  EXPECT_EQ(Validate(), 1);
}

TEST_F(ValidateRepositoryTest, NamesDependenciesThatWouldNotBeThere) {
  for (const char* model : {"a", "b", "c", "good"}) dir_.Write(std::string(model) + "/1/model.onnx", "x");
  dir_.Write("a/config.pbtxt", "inferd {\n  depends_on { model: 'b' }\n  depends_on { model: 'nowhere' }\n}\n");
  dir_.Write("b/config.pbtxt", "inferd { depends_on { model: 'a' } depends_on { model: 'c' version: 3 } }");
  dir_.Write("good/config.pbtxt", "inferd { depends_on { model: 'c' } depends_on { model: 'b' } }");
  EXPECT_EQ(Validate(), 4) << text_;
  const std::string a = (dir_.path() / "a" / "config.pbtxt").string();
  const std::string b = (dir_.path() / "b" / "config.pbtxt").string();
  EXPECT_THAT(text_, HasSubstr("  problem: " + a +
                               ":2:16: inferd.depends_on[0].model: circular dependency between models: a -> b -> a\n"));
  EXPECT_THAT(text_, HasSubstr(a + ":3:16: inferd.depends_on[1].model: no repository has a model 'nowhere'\n"));
  EXPECT_THAT(text_,
              HasSubstr(b + ":1:23: inferd.depends_on[0].model: circular dependency between models: b -> a -> b\n"));
  EXPECT_THAT(text_, HasSubstr("inferd.depends_on[1].model: version 3 of model 'c' is not one to be served\n"));
}

TEST_F(ValidateRepositoryTest, LooksAtWhatStartupModelsDependOn) {
  for (const char* model : {"a", "b", "c"}) dir_.Write(std::string(model) + "/1/model.onnx", "x");
  dir_.Write("a/config.pbtxt", "inferd { depends_on { model: 'b' } }");
  options_.control = config::ControlMode::kExplicit;
  options_.startup_models = {"a"};
  EXPECT_EQ(Validate(), 0) << text_;
  EXPECT_THAT(text_, HasSubstr("2 models, 0 problems\n"));
}

}  // namespace
}  // namespace inferd::repository
