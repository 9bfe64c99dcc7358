#include "protocols/v1/predict_writer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "data/tensor/bytes.h"
#include "net/fake_exchange.h"

namespace inferd::v1 {
namespace {

using tensor::DataType;

core::InferTensor Floats(const std::string& name, const tensor::Shape& shape, const std::vector<float>& values) {
  base::Buffer data = base::Buffer::Allocate(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(data.data(), values.data(), data.size());
  return {.name = name, .datatype = DataType::kFp32, .shape = shape, .data = base::BufferSlice(data), .parameters = {}};
}

core::InferTensor Texts(const std::string& name, const std::vector<std::string>& values) {
  tensor::BytesPacker packer(16);
  for (const std::string& value : values) EXPECT_TRUE(packer.Append(value).ok());
  return {.name = name,
          .datatype = DataType::kBytes,
          .shape = {static_cast<int64_t>(values.size())},
          .data = base::BufferSlice(packer.Take()),
          .parameters = {}};
}

std::string Write(std::vector<core::InferTensor> outputs, bool row) {
  core::InferResponse response;
  response.outputs = std::move(outputs);
  const auto http = WritePredictions(response, row);
  return http.has_value() ? net::BodyText(*http) : http.error().message();
}

TEST(PredictWriterTest, OneOutputStandsByItself) {
  EXPECT_EQ(Write({Floats("y", {3}, {2.5, 3, 4.5})}, true), R"({"predictions":[2.5,3.0,4.5]})");
  EXPECT_EQ(Write({Floats("y", {2, 1}, {1, 2})}, true), R"({"predictions":[[1.0],[2.0]]})");
  EXPECT_EQ(Write({Floats("y", {2, 1}, {1, 2})}, false), R"({"outputs":[[1.0],[2.0]]})");
  EXPECT_EQ(Write({Floats("y", {}, {1})}, false), R"({"outputs":1.0})");
  EXPECT_EQ(Write({Floats("y", {0, 3}, {})}, true), R"({"predictions":[]})");
}

TEST(PredictWriterTest, SeveralOutputsAreObjects) {
  const std::vector<core::InferTensor> outputs = {Floats("a", {2}, {1, 2}), Floats("b", {2, 2}, {3, 4, 5, 6})};
  EXPECT_EQ(Write(outputs, true), R"({"predictions":[{"a":1.0,"b":[3.0,4.0]},{"a":2.0,"b":[5.0,6.0]}]})");
  EXPECT_EQ(Write(outputs, false), R"({"outputs":{"a":[1.0,2.0],"b":[[3.0,4.0],[5.0,6.0]]}})");
  EXPECT_EQ(Write({Floats("a", {0}, {}), Floats("b", {0, 2}, {})}, true), R"({"predictions":[]})");
}

TEST(PredictWriterTest, SomeTypesHaveNoFormInJson) {
  core::InferTensor pairs = Floats("y", {1}, {1, 2});
  pairs.datatype = DataType::kComplex64;
  EXPECT_EQ(Write({pairs}, true), "Failed to write JSON value for tensor type: complex64");
  pairs.datatype = DataType::kQint32;
  pairs.shape = {2};
  EXPECT_EQ(Write({pairs}, false), "Failed to write JSON value for tensor type: qint32");
}

TEST(PredictWriterTest, BytesAreNamedSo) {
  EXPECT_EQ(Write({Texts("text", {"a", "b"}), Texts("image_bytes", {"\xFF", ""})}, true),
            R"({"predictions":[{"text":"a","image_bytes":{"b64":"/w=="}},{"text":"b","image_bytes":{"b64":""}}]})");
  EXPECT_EQ(Write({Floats("x_bytes", {1}, {1})}, true), R"({"predictions":[1.0]})");
  EXPECT_EQ(
      Write({Texts("text", {"\xFF"})}, true),
      "output 'text': an element is not valid UTF-8, which JSON strings are: an output whose name ends with _bytes "
      "is written as base64");
}

TEST(PredictWriterTest, RowsNeedACommonFirstDimension) {
  EXPECT_EQ(Write({Floats("y", {}, {1})}, true), "Tensor name: y has no shape information ");
  EXPECT_EQ(Write({Floats("a", {1}, {1}), Floats("b", {2}, {1, 2})}, true),
            "Tensor name: b has inconsistent batch size: 2 expecting: 1");
  EXPECT_EQ(Write({}, true), "Cannot convert empty tensor map to JSON");
}

TEST(PredictWriterTest, DataThatDoesNotFitIsOurFault) {
  core::InferResponse response;
  response.outputs = {Floats("y", {3}, {1})};
  EXPECT_EQ(WritePredictions(response, true).error().code(), base::StatusCode::kInternal);
}

TEST(PredictWriterTest, OutputsWithoutRowsMayStandByName) {
  const auto write = [](const std::vector<core::InferTensor>& outputs) {
    json::Writer json;
    json.BeginObject();
    const base::Status status = WriteOutputs(json, "predictions", outputs, Layout::kRowsIfAny);
    json.EndObject();
    return status.ok() ? json.TakeString() : status.message();
  };
  EXPECT_EQ(write({Floats("a", {2}, {1, 2}), Floats("b", {2}, {3, 4})}),
            R"({"predictions":[{"a":1.0,"b":3.0},{"a":2.0,"b":4.0}]})");
  EXPECT_EQ(write({Floats("a", {1}, {1}), Floats("b", {2}, {1, 2})}), R"({"predictions":{"a":[1.0],"b":[1.0,2.0]}})");
  EXPECT_EQ(write({Floats("y", {}, {1})}), R"({"predictions":1.0})");
  EXPECT_EQ(write({}), "Cannot convert empty tensor map to JSON");
}

}  // namespace
}  // namespace inferd::v1
