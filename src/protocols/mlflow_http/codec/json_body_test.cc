#include "protocols/mlflow_http/codec/json_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/mlflow_http/codec/body_fixture.h"

namespace inferd::mlflow_http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint32_t kDepthMax = 16;

std::string JsonTable(std::string_view body) { return Shown(ReadJsonBody(body, TableSignature(), kDepthMax)); }
std::string Matrix(std::string_view body) { return Shown(ReadJsonBody(body, MatrixSignature(), kDepthMax)); }

TEST(JsonBodyTest, SplitTables) {
  EXPECT_EQ(
      JsonTable(
          R"({"dataframe_split": {"columns": ["n", "x", "a"], "index": [0, 1], "data": [[1, {}, 2], [3, null, 4.5]]}})"),
      "a[2] 2.0 4.5; n[2,1] 1 3");
  EXPECT_EQ(JsonTable(R"({"dataframe_split": {"data": [["w", 1, 2]], "columns": ["word", "n", "a"]}, "more": [1]})"),
            "a[1] 2.0; n[1,1] 1; word[1] w");
  EXPECT_EQ(Matrix(R"({"dataframe_split": {"columns": ["u", "v"], "data": [[1, 2], [3, 4]]}})"),
            "X[2,2] 1.0 2.0 3.0 4.0");
  EXPECT_EQ(Matrix(R"({"dataframe_split": {"data": [[1, null], [3, 4]]}})"), "X[2,2] 1.0 nan 3.0 4.0");
}

TEST(JsonBodyTest, Records) {
  EXPECT_EQ(JsonTable(R"({"dataframe_records": [{"a": 1, "n": 2}, {"n": 3, "z": 0}]})"), "a[2] 1.0 nan; n[2,1] 2 3");
  EXPECT_EQ(Matrix(R"({"dataframe_records": [{"u": 1, "v": 2}, {"v": 4, "u": 3}]})"), "X[2,2] 1.0 2.0 3.0 4.0");
}

TEST(JsonBodyTest, InstancesAndInputs) {
  EXPECT_EQ(Matrix(R"({"instances": [[1, 2], [3, 4]]})"), "X[2,2] 1.0 2.0 3.0 4.0");
  EXPECT_EQ(Matrix(R"({"inputs": [[1, 2]]})"), "X[1,2] 1.0 2.0");
  EXPECT_EQ(Matrix(R"({"inputs": {"X": [[1, 2]], "Y": 3}})"), "X[1,2] 1.0 2.0");
  EXPECT_EQ(JsonTable(R"({"instances": [{"a": 1, "n": 2}, {"a": 3, "n": 4}]})"), "a[2] 1.0 3.0; n[2,1] 2 4");
  EXPECT_EQ(JsonTable(R"({"inputs": {"a": [1, 2], "n": [[3], [4]]}})"), "a[2] 1.0 2.0; n[2,1] 3 4");
  EXPECT_EQ(JsonTable(R"({"inputs": [{"a": 1, "n": 2}]})"), "a[1] 1.0; n[1,1] 2");
  EXPECT_EQ(JsonTable(R"({"inputs": {"a": 1.5, "n": 2, "word": "w"}})"), "a[1] 1.5; n[1,1] 2; word[1] w");
}

TEST(JsonBodyTest, ColumnsWithoutNamesGoByTheirOrder) {
  core::ModelSignature signature = TableSignature();
  for (size_t i = 0; i < 3; ++i) signature.inputs[i].name = "input-" + std::to_string(i);
  signature.inputs[2].optional = false;
  EXPECT_EQ(Shown(ReadJsonBody(R"({"instances": [[1, 2, "w"], [3, 4, "v"]]})", signature, kDepthMax)),
            "input-0[2] 1.0 3.0; input-1[2,1] 2 4; input-2[2] w v");
  EXPECT_THAT(Shown(ReadJsonBody(R"({"instances": [[1, 2]]})", signature, kDepthMax)),
              HasSubstr("The model signature declares 3 inputs  but the provided value only has 2 inputs"));
  EXPECT_THAT(JsonTable(R"({"dataframe_split": {"data": [[1, 2]]}})"),
              HasSubstr("Model is missing inputs ['a', 'n']. Note that there were extra inputs: ['0', '1']."));
}

TEST(JsonBodyTest, ParamsArePassedOn) {
  const auto request =
      ReadJsonBody(R"({"inputs": [[1, 2]], "params": {"t": 0.5, "k": 3, "s": "x", "b": true, "l": [1, 2]}})",
                   MatrixSignature(), kDepthMax);
  ASSERT_TRUE(request.has_value());
  const core::Parameters expected = {
      {"t", 0.5}, {"k", int64_t{3}}, {"s", std::string("x")}, {"b", true}, {"l", std::string("[1, 2]")}};
  EXPECT_EQ((*request)->parameters, expected);
  EXPECT_THAT(Matrix(R"({"inputs": [[1, 2]], "params": 3})"), HasSubstr("'params' must be a dictionary"));
}

TEST(JsonBodyTest, WhatIsNoRequest) {
  EXPECT_THAT(JsonTable("{"),
              StartsWith("INVALID_ARGUMENT: Invalid input. Ensure that input is a valid JSON formatted"));
  EXPECT_THAT(JsonTable("{} x"), HasSubstr("valid JSON formatted"));
  EXPECT_THAT(JsonTable(R"({"inputs": [1], "inputs": [2]})"), HasSubstr("valid JSON formatted"));
  EXPECT_THAT(JsonTable("[1]"), HasSubstr("'inputs'}. Received a list."));
  EXPECT_THAT(JsonTable("3"), HasSubstr("Received unexpected input type"));
  EXPECT_THAT(JsonTable("{}"),
              HasSubstr("INVALID_ARGUMENT: The input must be a JSON dictionary with exactly one of the "
                        "input fields {'dataframe_split', 'dataframe_records', 'instances', 'inputs'}. "
                        "Received dictionary with input fields: []."));
  EXPECT_THAT(JsonTable(R"({"inputs": [], "instances": []})"), HasSubstr("input fields: ['inputs', 'instances']."));
  EXPECT_THAT(JsonTable(R"({"dataframe_records": {}})"),
              HasSubstr("Dataframe records format must be a list of records. Got dictionary."));
  EXPECT_THAT(JsonTable(R"({"dataframe_split": []})"),
              HasSubstr("Dataframe split format must be a dictionary. Got list."));
  EXPECT_THAT(JsonTable(R"({"dataframe_split": {"data": [], "name": 1}})"),
              HasSubstr("'data' field and optionally 'columns' and 'index' fields. Got {'data', 'name'}.'"));
  EXPECT_THAT(JsonTable(R"({"dataframe_split": {"columns": ["a", "n"], "data": [[1]]}})"),
              HasSubstr("Error: '2 columns passed, passed data had 1 columns'"));
  EXPECT_THAT(JsonTable(R"({"dataframe_split": {"columns": ["a", "n"], "data": [[1, 2, 3]]}})"),
              HasSubstr("2 columns passed"));
  EXPECT_THAT(JsonTable(R"({"dataframe_split": {"columns": ["a", "n"], "data": []}})"), HasSubstr("no rows"));
  EXPECT_THAT(JsonTable(R"({"dataframe_split": {"columns": [], "data": [[]]}})"), HasSubstr("no columns"));
  EXPECT_THAT(Matrix(R"({"dataframe_split": {"data": [[]]}})"), HasSubstr("no columns"));
  EXPECT_THAT(JsonTable(R"({"dataframe_split": {"columns": ["a", "a", "n"], "data": [[1, 2, 3]]}})"),
              HasSubstr("twice"));
  EXPECT_THAT(JsonTable(R"({"instances": [{"a": 1, "n": 2}, {"a": 3}]})"),
              HasSubstr("The length of values for each input/column name are not the same"));
  EXPECT_THAT(JsonTable(R"({"instances": [{"a": 1, "n": 2}, 3]})"), HasSubstr("record 1 is no dictionary"));
}

TEST(JsonBodyTest, WhatDoesNotFitTheModel) {
  EXPECT_THAT(
      JsonTable(R"({"inputs": {"b": 1, "n": 2}})"),
      StartsWith("OUT_OF_RANGE: Failed to predict data '{\"b\": 1, \"n\": 2}'. \nError: Failed to enforce schema "
                 "of data '{\"b\": 1, \"n\": 2}' with schema '['a': double (required), 'n': integer (required), "
                 "'word': string (optional)]'. Error: Model is missing inputs ['a']. Note that there were extra "
                 "inputs: ['b']."));
  EXPECT_THAT(JsonTable(R"({"dataframe_records": [{"a": 1, "n": 2.5}]})"),
              HasSubstr("Incompatible input types for column n. Can not safely convert float64 to int32."));
  EXPECT_THAT(JsonTable(R"({"dataframe_records": [{"a": "1", "n": 2}]})"),
              HasSubstr("Can not safely convert object to float64."));
  EXPECT_THAT(JsonTable(R"({"dataframe_records": [{"a": 1, "n": 3000000000}]})"), HasSubstr("convert int64 to int32."));
  EXPECT_THAT(JsonTable(R"({"dataframe_records": [{"a": 1, "n": null}]})"),
              HasSubstr("convert a missing value to int32."));
  EXPECT_THAT(Matrix(R"({"inputs": [[1, 2, 3]]})"),
              HasSubstr("Shape of input (1, 3) does not match expected shape (-1, 2)."));
  EXPECT_THAT(Matrix(R"({"inputs": [1]})"), HasSubstr("Shape of input (1,) does not match"));
  EXPECT_THAT(Matrix(R"({"inputs": [[1, 2], [3]]})"), HasSubstr("Incompatible input types for column X."));
  EXPECT_THAT(Matrix(R"({"inputs": null})"), HasSubstr("Incompatible input types for column X."));
}

// One record may have many unknown names, and there may be many records. The cost must not grow with their product,
// which would take longer than a test may.
TEST(JsonBodyTest, ManyNamesAndManyRecords) {
  constexpr int kNames = 20'000;
  constexpr int kRecords = 150'000;
  const core::ModelSignature signature = {.inputs = {{.name = "a", .datatype = tensor::DataType::kFp64, .shape = {-1}}},
                                          .outputs = {}};
  std::string body = R"({"dataframe_records": [{"a":1)";
  for (int i = 0; i < kNames; ++i) body += ",\"" + std::to_string(i) + "\":0";
  body += '}';
  for (int i = 1; i < kRecords; ++i) body += ",{\"a\":1}";
  const auto request = ReadJsonBody(body + "]}", signature, kDepthMax);
  ASSERT_TRUE(request.has_value()) << request.error().message();
  EXPECT_EQ((*request)->inputs.at(0).shape, tensor::Shape({kRecords}));
}

TEST(JsonBodyTest, WhatIsMissingIsBounded) {
  core::ModelSignature wide;
  for (int i = 0; i < 2000; ++i) {
    wide.inputs.push_back({.name = "c" + std::to_string(i), .datatype = tensor::DataType::kFp64, .shape = {-1}});
  }
  std::string all = "{";
  for (const core::TensorSpec& input : wide.inputs) all += (all.size() > 1 ? ",\"" : "\"") + input.name + "\":1";
  std::string body = R"({"dataframe_records": [)" + all + "}";
  for (int i = 0; i < 1000; ++i) body += ",{}";
  EXPECT_THAT(Shown(ReadJsonBody(body + "]}", wide, kDepthMax)), HasSubstr("More values are missing in the table"));
}

}  // namespace
}  // namespace inferd::mlflow_http
