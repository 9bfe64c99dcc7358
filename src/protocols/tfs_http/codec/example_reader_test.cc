#include "protocols/tfs_http/codec/example_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::tfs_http {
namespace {

using tensor::DataType;

// A signature with image: BYTES, size: FP32 [2].
core::ModelSignature Signature() {
  return {.inputs = {{.name = "image", .datatype = DataType::kBytes, .shape = {-1}},
                     {.name = "size", .datatype = DataType::kFp32, .shape = {-1, 2}}},
          .outputs = {}};
}

// Returns "image[2] size[2,2]", or the error.
std::string Read(std::string_view body, const core::ModelSignature& signature = Signature(),
                 const ExampleLimits& limits = {}) {
  const auto request = ReadExamples(body, signature, limits);
  if (!request.has_value()) return request.error().message();
  std::string text;
  for (const core::InferTensor& input : (*request)->inputs) {
    text += (text.empty() ? "" : " ") + input.name + input.shape.ToString();
  }
  return text;
}

TEST(ExampleReaderTest, ExamplesAreRows) {
  EXPECT_EQ(Read(R"({"signature_name": "serving_default", "examples": [
                      {"image": {"b64": "aW1hZ2UgYnl0ZXM="}, "caption": "seaside", "size": [1, 2]},
                      {"size": [0.5, 0.5], "image": "text"}], "more": [null]})"),
            "image[2] size[2,2]");
}

TEST(ExampleReaderTest, AContextIsSharedWhereverItStands) {
  EXPECT_EQ(Read(R"({"context": {"size": [1, 2]}, "examples": [{"image": "a"}, {"image": "b"}, {"image": "c"}]})"),
            "image[3] size[3,2]");
  EXPECT_EQ(Read(R"({"examples": [{"image": "a"}], "context": {"size": [1, 2]}})"), "image[1] size[1,2]");
  EXPECT_EQ(Read(R"({"context": {"size": [1, 2]}, "examples": [{"image": "a", "size": [1, 2]}]})"),
            "Feature: size is in the context and in examples");
  EXPECT_EQ(Read(R"({"context": {"size": [1, 2]}, "examples": [{"image": "a"}, {"image": "a"}]})", Signature(),
                 {.tensor_bytes_max = 10}),
            "feature 'size' of the context, for 2 examples, is more than 10 bytes");
  EXPECT_EQ(Read(R"({"context": {"size": [1, 2], "image": "a"}, "examples": [{}, {}]})", Signature(),
                 {.tensor_bytes_max = 20}),
            "feature 'size' of the context, for 2 examples, is more than 10 bytes")
      << "all of them together";
  EXPECT_EQ(Read(R"({"context": [], "examples": [{}]})"), "Example must be JSON object but got JSON Array");
}

TEST(ExampleReaderTest, EveryInputIsAFeatureOfEveryExample) {
  EXPECT_EQ(Read(R"({"examples": [{"image": "a"}]})"),
            "Feature: size (data type: float) is required but could not be found.");
  EXPECT_EQ(Read(R"({"examples": [{"image": "a", "size": [1, 2]}, {"size": [1, 2]}]})"),
            "Feature: image (data type: string) is required but could not be found.");
  core::ModelSignature signature = Signature();
  signature.inputs[1].optional = true;
  EXPECT_EQ(Read(R"({"examples": [{"image": "a"}]})", signature), "image[1]");
}

TEST(ExampleReaderTest, ErrorsAreTensorflowServings) {
  EXPECT_EQ(Read(""), "JSON Parse error: The document is empty");
  EXPECT_EQ(Read("{}"), "JSON Value: {} When method is classify, key 'examples' is expected and was not found");
  EXPECT_EQ(Read(R"({"examples": 1})"),
            R"(JSON Value: {"examples": 1} Expecting 'examples' value to be an list/array)");
  EXPECT_EQ(Read(R"({"examples": []})"), R"(JSON Value: {"examples": []} 'examples' value is an empty array)");
  EXPECT_EQ(Read(R"({"examples": [1]})"), "Example must be JSON object but got JSON Number");
  EXPECT_EQ(Read(R"({"examples": [{"image": null}]})"), "Feature: image has element with unexpected JSON type: Null");
  EXPECT_EQ(Read(R"({"examples": [{"other": [[]]}]})"), "Feature: other has element with unexpected JSON type: Array");
  EXPECT_EQ(Read(R"({"examples": [{"size": [1, 2.0]}]})"),
            "Unexpected element type in feature: size expecting type: int64");
  EXPECT_TRUE(Read(R"({"examples": [{"image": null}], )").starts_with("JSON Parse error: "));
  EXPECT_EQ(Read(R"({"examples": [1], "signature_name": "s"})"), "No signature was found with the name: s");
}

}  // namespace
}  // namespace inferd::tfs_http
