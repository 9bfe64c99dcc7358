#include "protocols/tfs_http/codec/result_writer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "data/tensor/bytes.h"
#include "protocols/tfs/results.h"
#include "protocols/tfs_http/handler_fixture.h"

namespace inferd::tfs_http {
namespace result_writer_test {

using tensor::DataType;

template <typename T>
core::InferTensor Numbers(const std::string& name, DataType type, const tensor::Shape& shape,
                          const std::vector<T>& values) {
  base::Buffer data = base::Buffer::Allocate(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(data.data(), values.data(), data.size());
  return {.name = name, .datatype = type, .shape = shape, .data = base::BufferSlice(data), .parameters = {}};
}

core::InferTensor Texts(const std::string& name, const tensor::Shape& shape, const std::vector<std::string>& values) {
  tensor::BytesPacker packer(16);
  for (const std::string& value : values) EXPECT_TRUE(packer.Append(value).ok());
  return {.name = name,
          .datatype = DataType::kBytes,
          .shape = shape,
          .data = base::BufferSlice(packer.Take()),
          .parameters = {}};
}

using Write = base::Result<net::HttpResponse> (*)(const core::InferResponse&, const core::ModelSignature&,
                                                  std::optional<int64_t>, ResultKey);

std::string Text(Write write, std::vector<core::TensorSpec> specs, std::vector<core::InferTensor> outputs,
                 ResultKey key = ResultKey::kResults) {
  core::InferResponse response;
  response.outputs = std::move(outputs);
  const auto http = write(response, {.inputs = {}, .outputs = std::move(specs)}, std::nullopt, key);
  return http.has_value() ? BodyText(*http) : http.error().message();
}

const std::vector<float> kScores = {0.1f, 0.9f, 0.75f, 0.25f};

TEST(ResultWriterTest, ClassesAreNamedByTheModelOrItsLabels) {
  const core::TensorSpec scores{.name = "scores", .datatype = DataType::kFp32, .shape = {-1, 2}};
  const core::TensorSpec classes{.name = "classes", .datatype = DataType::kBytes, .shape = {-1, 2}};
  const auto values = Numbers("scores", DataType::kFp32, {2, 2}, kScores);
  EXPECT_EQ(Text(WriteClassification, {classes, scores}, {Texts("classes", {2, 2}, {"a", "b", "c", "d"}), values}),
            R"({"results":[[["a",0.1],["b",0.9]],[["c",0.75],["d",0.25]]]})");
  core::TensorSpec labelled = scores;
  labelled.labels = {"cat", "dog"};
  EXPECT_EQ(Text(WriteClassification, {labelled}, {values}),
            R"({"results":[[["cat",0.1],["dog",0.9]],[["cat",0.75],["dog",0.25]]]})");
  labelled.labels = {"cat"};
  EXPECT_EQ(Text(WriteClassification, {labelled}, {values}),
            R"({"results":[[["cat",0.1],["",0.9]],[["cat",0.75],["",0.25]]]})");
  EXPECT_EQ(Text(WriteClassification, {classes}, {Texts("classes", {1, 1}, {"a"})}), R"({"results":[[["a",0.0]]]})");
}

TEST(ResultWriterTest, TheOnlyOutputThatFitsIsTheScores) {
  const core::TensorSpec probabilities{.name = "p", .datatype = DataType::kFp64, .shape = {-1, 2}};
  const core::TensorSpec label{.name = "label", .datatype = DataType::kInt64, .shape = {-1}};
  EXPECT_EQ(Text(WriteClassification, {label, probabilities},
                 {Numbers<int64_t>("label", DataType::kInt64, {1}, {1}),
                  Numbers<double>("p", DataType::kFp64, {1, 2}, {0.25, 0.75})}),
            R"({"results":[[["",0.25],["",0.75]]]})");
  EXPECT_TRUE(tfs::CheckClassifier({.inputs = {}, .outputs = {label, probabilities}}).ok());
  EXPECT_FALSE(tfs::CheckClassifier({.inputs = {}, .outputs = {label}}).ok());
  core::TensorSpec other = probabilities;
  other.name = "q";
  EXPECT_FALSE(tfs::CheckClassifier({.inputs = {}, .outputs = {probabilities, other}}).ok());
  other.name = "scores";
  EXPECT_TRUE(tfs::CheckClassifier({.inputs = {}, .outputs = {probabilities, other}}).ok());
}

TEST(ResultWriterTest, ValuesOfARegression) {
  const core::TensorSpec column{.name = "y", .datatype = DataType::kFp32, .shape = {-1, 1}};
  const core::TensorSpec flat{.name = "y", .datatype = DataType::kFp16, .shape = {-1}};
  EXPECT_EQ(Text(WriteRegression, {column}, {Numbers<float>("y", DataType::kFp32, {3, 1}, {1, 0.2f, 9e6f})}),
            R"({"results":[1.0,0.2,9e+06]})");
  EXPECT_EQ(Text(WriteRegression, {flat}, {Numbers<uint16_t>("y", DataType::kFp16, {1}, {0x3C00})}),
            R"({"results":[1.0]})");
  EXPECT_TRUE(tfs::CheckRegressor({.inputs = {}, .outputs = {flat}}).ok());
  EXPECT_FALSE(tfs::CheckRegressor({.inputs = {}, .outputs = {column, flat}}).ok());
  EXPECT_FALSE(
      tfs::CheckRegressor({.inputs = {}, .outputs = {{.name = "y", .datatype = DataType::kFp32, .shape = {-1, 2}}}})
          .ok());
}

TEST(ResultWriterTest, UnderOneKeyOrBoth) {
  const core::TensorSpec spec{.name = "y", .datatype = DataType::kFp32, .shape = {-1}};
  const auto value = Numbers<float>("y", DataType::kFp32, {1}, {2});
  EXPECT_EQ(Text(WriteRegression, {spec}, {value}, ResultKey::kBoth), R"({"result":[2.0],"results":[2.0]})");
  EXPECT_EQ(Text(WriteRegression, {spec}, {value}, ResultKey::kResult), R"({"result":[2.0]})");
}

TEST(ResultWriterTest, OutputsOfAnotherShapeThanTheirSignature) {
  const core::TensorSpec scores{.name = "scores", .datatype = DataType::kFp32, .shape = {-1, 2}};
  const core::TensorSpec classes{.name = "classes", .datatype = DataType::kBytes, .shape = {-1, 2}};
  EXPECT_EQ(Text(WriteClassification, {classes, scores},
                 {Texts("classes", {1, 1}, {"a"}), Numbers("scores", DataType::kFp32, {2, 2}, kScores)}),
            "Expected scores output batch size of 1. Got: 2");
  EXPECT_EQ(Text(WriteClassification, {scores}, {}), "the model gave no output 'scores'");
  EXPECT_EQ(Text(WriteClassification, {scores}, {Numbers("scores", DataType::kFp32, {4}, kScores)}),
            "Expected Tensor shape: [batch_size num_classes] but got [4]");
  EXPECT_TRUE(Text(WriteClassification, {scores}, {Numbers("scores", DataType::kFp32, {3, 2}, kScores)})
                  .starts_with("output 'scores': "));
}

}  // namespace result_writer_test
}  // namespace inferd::tfs_http
