#include "repository/validate_repository.h"

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
    ManagerOptions options;
    options.repositories = {{.name = "r", .path = dir_.path()}};
    std::ostringstream out;
    const int problems = ValidateRepositories(options, engines, clock_, out);
    text_ = out.str();
    return problems;
  }
  inferd::testing::TempDir dir_;
  inferd::testing::FakeEngine engine_{"onnxruntime", "model.onnx"};
  base::SystemClock clock_;
  std::string text_;
};

TEST_F(ValidateRepositoryTest, PrintsTheCompletedConfiguration) {
  dir_.Write("m/2/model.onnx", "x");
  EXPECT_EQ(Validate(), 0) << text_;
  EXPECT_THAT(text_, HasSubstr("version 2, completed configuration:\n    "));
  EXPECT_THAT(text_, HasSubstr("    max_batch_size: 64\n"));
  EXPECT_THAT(text_, HasSubstr("1 model, 0 problems\n"));
  EXPECT_EQ(engine_.alive(), 0);
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
  EXPECT_THAT(text_, HasSubstr("version folder '01' is ignored"));
  EXPECT_THAT(text_, HasSubstr("4 models, 4 problems\n"));
}

TEST_F(ValidateRepositoryTest, AMissingRepositoryIsAProblem) {
  dir_.Remove("");
  EXPECT_EQ(Validate(), 1);
}

}  // namespace
}  // namespace inferd::repository
