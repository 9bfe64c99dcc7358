#include "ctl/validate/trial.h"

#include <gmock/gmock.h>

#include "ctl/generator.h"

namespace inferd::ctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

NamedTensor Zeros(const std::string& name, tensor::DataType type, const tensor::Shape& shape) {
  return {name, type, shape, *Generate(Generator::kZeros, type, shape, 1)};
}

Trial Loaded() {
  Trial trial{.model = "m"};
  ModelSignature signature;
  signature.name = "m";
  signature.inputs = {{"x", tensor::DataType::kFp32, tensor::Shape{-1, 2}}};
  signature.outputs = {{"y", tensor::DataType::kInt64, tensor::Shape{-1}}};
  trial.signature = signature;
  trial.request = {Zeros("x", tensor::DataType::kFp32, tensor::Shape{1, 2})};
  trial.answer = {{"y", tensor::DataType::kInt64, tensor::Shape{1}}};
  trial.command = CommandFor("m", trial.request);
  return trial;
}

TEST(TrialTest, AShortRequestIsJsonInTheCommand) {
  EXPECT_EQ(CommandFor("m", {Zeros("it's", tensor::DataType::kInt32, tensor::Shape{1, 2})}),
            R"(curl -s localhost:8000/v2/models/m/infer -d '{"inputs":[{"name":"it'\''s","datatype":"INT32",)"
            R"("shape":[1,2],"data":[0,0]}]}')");
}

TEST(TrialTest, ALongRequestIsBytesInTheCommand) {
  const std::string command = CommandFor("m", {Zeros("image", tensor::DataType::kFp32, tensor::Shape{1, 3, 224, 224})});
  const std::string head = R"({"inputs":[{"name":"image","datatype":"FP32","shape":[1,3,224,224],)"
                           R"("parameters":{"binary_data_size":602112}}]})";
  EXPECT_EQ(command, "{ printf %s '" + head +
                         "'; head -c 602112 /dev/zero; } | curl -s localhost:8000/v2/models/m/infer" +
                         " -H 'Inference-Header-Content-Length: " + std::to_string(head.size()) +
                         "' -H 'Content-Type: application/octet-stream' --data-binary @-");
}

TEST(TrialTest, LongTextsAreMadeByInferctl) {
  EXPECT_EQ(CommandFor("m", {Zeros("words", tensor::DataType::kBytes, tensor::Shape{1000})}),
            "inferctl infer 'm' --fill zeros");
}

TEST(TrialTest, TextHasTensorsShapesAndTheCommand) {
  const std::string text = TrialText(Loaded());
  EXPECT_THAT(text, StartsWith("  loaded, and it answers a request of zeros:\n"));
  EXPECT_THAT(text, HasSubstr("input   x     FP32      [-1,2]  [1,2]"));
  EXPECT_THAT(text, HasSubstr("output  y     INT64     [-1]    [1]"));
  EXPECT_THAT(text, HasSubstr("\n    curl -s localhost:8000/v2/models/m/infer -d '"));
}

TEST(TrialTest, ARefusedRequestIsNoProblem) {
  Trial trial = Loaded();
  trial.answer.clear();
  trial.refusal = "HTTP 400: too small an image";
  const std::string text = TrialText(trial);
  EXPECT_THAT(text,
              HasSubstr("refuses a request of zeros, which may be no values for it: HTTP 400: too small an image\n"));
  EXPECT_THAT(text, Not(HasSubstr("problem:")));
}

TEST(TrialTest, AModelThatDoesNotLoadIsAProblem) {
  EXPECT_EQ(TrialText({.model = "m", .reason = "no such operator"}), "  problem: it does not load: no such operator\n");
}

TEST(TrialTest, AServerThatEndsAtTheRequestIsAProblem) {
  Trial trial = Loaded();
  trial.reason = "the server ended at a request of zeros: no answer";
  EXPECT_EQ(TrialText(trial), "  problem: the server ended at a request of zeros: no answer\n");
}

TEST(TrialTest, AModelThatCouldNotBeTriedIsNoProblem) {
  EXPECT_EQ(TrialText({.model = "m", .untried = "the model is still loading"}),
            "  not tried: the model is still loading\n");
}

TEST(TrialTest, IsWrittenAsJson) {
  json::Writer writer;
  WriteTrial(writer, Loaded());
  EXPECT_THAT(
      writer.TakeString(),
      StartsWith(
          R"({"model":"m","loaded":true,"untried":"","reason":"","inputs":[{"name":"x","datatype":"FP32","shape":[-1,2]}],)"
          R"("outputs":[{"name":"y","datatype":"INT64","shape":[-1]}],)"
          R"("request":[{"name":"x","datatype":"FP32","shape":[1,2]}],)"
          R"("answer":[{"name":"y","datatype":"INT64","shape":[1]}],"refusal":"","command":"curl)"));
}

}  // namespace
}  // namespace inferd::ctl
