#include "protocols/v2/output_forms.h"

#include <gtest/gtest.h>

#include <cstring>

#include "data/tensor/bytes.h"

namespace inferd::v2 {
namespace {

core::InferResponse TwoOutputs() {
  core::InferResponse response;
  for (const char* name : {"y", "z"}) {
    core::InferTensor& output = response.outputs.emplace_back();
    output.name = name;
    output.datatype = tensor::DataType::kInt8;
    output.shape = {3};
    output.data = base::BufferSlice(base::Buffer::CopyOf(std::string_view("\1\3\2", 3)));
  }
  return response;
}

TEST(ReadOutputFormsTest, OneDefaultForAllUnlessAnOutputSaysMore) {
  core::InferRequest request;
  request.outputs = {{.name = "y"}, {.name = "z"}};
  auto forms = ReadOutputForms(request, true);
  ASSERT_TRUE(forms.has_value());
  EXPECT_TRUE(forms->forms.empty());
  EXPECT_TRUE(forms->of(1).binary);
  request.outputs[1].parameters = {{"classification", int64_t{2}}, {"binary_data", false}};
  forms = ReadOutputForms(request, true);
  ASSERT_TRUE(forms.has_value());
  ASSERT_EQ(forms->forms.size(), 2u);
  EXPECT_EQ(forms->of(0), (OutputSettings{.binary = true}));
  EXPECT_EQ(forms->of(1), (OutputSettings{.classes = 2}));
  request.outputs[0].parameters = {{"classification", true}};
  EXPECT_EQ(ReadOutputForms(request, true).error().code(), base::StatusCode::kInvalidArgument);
}

TEST(ClassifyOutputsTest, OnlyTheOutputsAskedFor) {
  core::InferResponse response = TwoOutputs();
  core::ModelSignature signature;
  core::TensorSpec& labelled = signature.outputs.emplace_back();
  labelled.name = "z";
  labelled.labels = {"a", "b"};
  const OutputForms forms{.default_form = {}, .forms = {{}, {.classes = 2}}};
  ASSERT_TRUE(ClassifyOutputs(response, forms, signature).ok());
  EXPECT_EQ(response.outputs[0].datatype, tensor::DataType::kInt8);
  std::vector<std::string> classes;
  for (const std::string_view text : tensor::PackedElements(response.outputs[1].data.bytes())) {
    classes.emplace_back(text);
  }
  EXPECT_EQ(classes, (std::vector<std::string>{"3:1:b", "2:2"}));
}

TEST(FormsForTest, AnOutputThatTheModelLeftOutTakesItsFormAlong) {
  core::InferRequest request;
  request.outputs = {{.name = "x"}, {.name = "y", .parameters = {{"binary_data", false}}}, {.name = "z"}};
  const auto mixed = ReadOutputForms(request, true);
  ASSERT_TRUE(mixed.has_value());
  std::optional<OutputForms> own;
  const core::InferResponse response = TwoOutputs();
  const OutputForms& forms = FormsFor(response, *mixed, own);
  EXPECT_FALSE(forms.of(0).binary);
  EXPECT_TRUE(forms.of(1).binary);
  request.outputs[0].parameters = request.outputs[2].parameters = {{"binary_data", false}};
  const auto alike = ReadOutputForms(request, true);
  EXPECT_EQ(alike->names, nullptr) << "none is told from another";
  EXPECT_FALSE(FormsFor(response, *alike, own).of(1).binary);
  core::InferResponse none;
  EXPECT_TRUE(ClassifyOutputs(none, *mixed, {}).ok());
}

TEST(ClassifyOutputsTest, AnEngineThatGivesOtherOutputsIsAtFault) {
  core::InferResponse response = TwoOutputs();
  EXPECT_EQ(ClassifyOutputs(response, {.default_form = {}, .forms = {{.classes = 1}}}, {}).code(),
            base::StatusCode::kInternal);
  EXPECT_TRUE(ClassifyOutputs(response, {}, {}).ok());
}

}  // namespace
}  // namespace inferd::v2
