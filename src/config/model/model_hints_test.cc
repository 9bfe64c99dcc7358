#include "config/model/model_hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace inferd::config {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(ModelHintsTest, FilesOfOtherFrameworksAreKnown) {
  EXPECT_THAT(ForeignModelHint("model.pkl"), StartsWith("scikit-learn pickles need converting to ONNX"));
  EXPECT_THAT(ForeignModelHint("Model.JOBLIB"), StartsWith("scikit-learn pickles"));
  EXPECT_THAT(ForeignModelHint("net.pth"), StartsWith("PyTorch models need exporting"));
  EXPECT_THAT(ForeignModelHint("model.h5"), StartsWith("Keras models need exporting"));
  EXPECT_THAT(ForeignModelHint("model.txt"), StartsWith("LightGBM"));
  EXPECT_THAT(ForeignModelHint("labels.txt"), IsEmpty());
  EXPECT_THAT(ForeignModelHint("model.onnx"), IsEmpty());
  const std::vector<std::string> entries = {"README.md", "model.bst"};
  EXPECT_THAT(ForeignModelHint(entries), StartsWith("XGBoost"));
  EXPECT_THAT(ForeignModelHint(std::vector<std::string>{}), IsEmpty());
}

TEST(ModelHintsTest, EnginesThatAreMissing) {
  EXPECT_THAT(MissingEngineHint("tensorflow"), StartsWith("./quickstart --engines onnxruntime,tensorflow installs it"));
  EXPECT_THAT(MissingEngineHint("torch"), StartsWith("PyTorch models need exporting"));
  EXPECT_THAT(MissingEngineHint("my_own"), IsEmpty());
}

}  // namespace
}  // namespace inferd::config
