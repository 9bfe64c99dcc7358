#include "protocols/tfs/signature_method.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::tfs {
namespace {

std::string Check(Api api, const std::string& method) {
  const core::ModelSignature signature{.name = "s", .method_name = method, .inputs = {}, .outputs = {}};
  return CheckMethod(api, signature).ToString();
}

constexpr const char* kPredict = "tensorflow/serving/predict";
constexpr const char* kClassify = "tensorflow/serving/classify";
constexpr const char* kRegress = "tensorflow/serving/regress";

TEST(SignatureMethodTest, PredictTakesAnyOfTheThree) {
  for (const char* method : {kPredict, kClassify, kRegress}) EXPECT_EQ(Check(Api::kPredict, method), "OK");
  EXPECT_EQ(Check(Api::kPredict, "other"),
            "INTERNAL: Expected prediction signature method_name to be one of {tensorflow/serving/predict, "
            "tensorflow/serving/classify, tensorflow/serving/regress}. Was: other");
}

TEST(SignatureMethodTest, ResultsAreOfTheirOwn) {
  EXPECT_EQ(Check(Api::kClassify, kClassify), "OK");
  EXPECT_EQ(Check(Api::kRegress, kRegress), "OK");
  EXPECT_EQ(Check(Api::kClassify, kRegress),
            "INVALID_ARGUMENT: Expected classification signature method_name to be tensorflow/serving/classify. Was: "
            "tensorflow/serving/regress");
  EXPECT_EQ(Check(Api::kRegress, ""),
            "INVALID_ARGUMENT: Expected regression signature method_name to be tensorflow/serving/regress. Was: ");
}

TEST(SignatureMethodTest, ModelsWithoutSignaturesOfTheirOwnPredict) {
  EXPECT_TRUE(CheckMethod(Api::kPredict, core::ModelSignature{}).ok());
  EXPECT_FALSE(CheckMethod(Api::kClassify, core::ModelSignature{}).ok());
}

}  // namespace
}  // namespace inferd::tfs
