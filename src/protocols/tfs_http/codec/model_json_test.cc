#include "protocols/tfs_http/codec/model_json.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace inferd::tfs_http {
namespace {

using core::ModelState;
using tensor::DataType;

core::IndexEntry Entry(const char* version, ModelState state, const char* reason = "",
                       base::StatusCode failed_code = base::StatusCode::kOk) {
  return {
      .name = "m", .version = version, .state = state, .reason = reason, .repository = "", .failed_code = failed_code};
}

TEST(ModelJsonTest, StatusAsTensorflowServingHasIt) {
  const std::vector<core::IndexEntry> versions = {Entry("123", ModelState::kReady)};
  constexpr char kVersion[] =
      R"("model_version_status":[{"version":"123","state":"AVAILABLE","status":{"error_code":"OK","error_message":""}}]})";
  EXPECT_EQ(StatusJson(versions, nullptr), std::string("{") + kVersion);
  const Readiness ready{.name = "m", .ready = true};
  EXPECT_EQ(StatusJson(versions, &ready), std::string(R"({"name":"m","ready":true,)") + kVersion);
}

TEST(ModelJsonTest, EveryStateHasItsWord) {
  const auto status_of = [](ModelState state, const char* reason = "",
                            base::StatusCode failed_code = base::StatusCode::kOk) {
    const std::vector<core::IndexEntry> versions = {Entry("1", state, reason, failed_code)};
    const std::string json = StatusJson(versions, nullptr);
    const size_t begin = json.find("\"state\":");
    return json.substr(begin, json.size() - begin - 3);
  };
  EXPECT_EQ(status_of(ModelState::kLoading), R"("state":"LOADING","status":{"error_code":"OK","error_message":""})");
  EXPECT_EQ(status_of(ModelState::kUnloading, "unloading"),
            R"("state":"UNLOADING","status":{"error_code":"OK","error_message":""})");
  EXPECT_EQ(status_of(ModelState::kUnavailable, "unloaded"),
            R"("state":"END","status":{"error_code":"OK","error_message":""})");
  EXPECT_EQ(status_of(ModelState::kUnavailable, "no such operator", base::StatusCode::kNotFound),
            R"("state":"END","status":{"error_code":"NOT_FOUND","error_message":"no such operator"})");
  EXPECT_EQ(status_of(ModelState::kUnknown), R"("state":"START","status":{"error_code":"OK","error_message":""})");
}

TEST(ModelJsonTest, ReadinessAsKserveHasIt) {
  EXPECT_EQ(ReadinessJson({.name = "m", .ready = false}), R"({"name":"m","ready":false})");
}

// Returns the output of MessageToJsonString with always_print_primitive_fields, as TensorFlow Serving calls it.
// `values` has the non-empty fields, by name.
std::string TensorJson(const std::string& dtype, const std::string& dims, std::map<std::string, std::string> values) {
  std::string json =
      R"({"dtype":")" + dtype + R"(","tensor_shape":{"dim":[)" + dims + R"(],"unknown_rank":false},"version_number":0)";
  for (const std::string name :
       {"tensor_content", "half_val", "float_val", "double_val", "int_val", "string_val", "scomplex_val", "int64_val",
        "bool_val", "dcomplex_val", "resource_handle_val", "variant_val", "uint32_val", "uint64_val", "float8_val"}) {
    const bool bytes = name == "tensor_content" || name == "float8_val";
    json += ",\"" + name + "\":" + (values.contains(name) ? values[name] : bytes ? "\"\"" : "[]");
  }
  return json + "}";
}

TEST(ModelJsonTest, DefaultsAsTensorflowServingPrintsThem) {
  using namespace std::string_literals;
  core::ModelSignature signature;
  const std::map<std::string, std::string> defaults = {
      {"x", "\x08\x01\x12\x04\x12\x02\x08\x03\x2a\x0c\xcd\xcc\xcc\x3d\x00\x00\x80\x7f\x00\x00\xc0\x7f"s},  // packed
      {"t", "\x08\x07\x12\x00\x42\x02\x61\x62"s},                                                          // string_val
      {"c", "\x08\x09\x12\x00\x22\x08\x07\x00\x00\x00\x00\x00\x00\x00"s},                  // tensor_content
      {"l", "\x08\x09\x12\x00\x50\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x98\x06\x01"s},  // an unknown field
      {"i", "\x08\x03\x12\x00\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s},              // int_val
      {"s", "\x08\x08\x12\x00\x4a\x08\x00\x00\x00\x3f\x00\x00\x00\x00"s},                  // scomplex_val
      {"broken", "\x08"s}};
  for (const auto& [name, proto] : defaults) {
    signature.inputs.push_back({.name = name, .datatype = DataType::kFp32, .shape = {}, .default_value = proto});
  }
  signature.inputs.push_back({.name = "required", .datatype = DataType::kFp32, .shape = {}});
  const core::ModelSignature* const all[] = {&signature};
  const std::string json = MetadataJson("m", "1", all);
  std::string expected = R"("defaults":{"broken":)" + TensorJson("DT_INVALID", "", {});
  expected += ",\"c\":" + TensorJson("DT_INT64", "", {{"tensor_content", R"("BwAAAAAAAAA=")"}});
  expected += ",\"i\":" + TensorJson("DT_INT32", "", {{"int_val", "[-1]"}});
  expected += ",\"l\":" + TensorJson("DT_INT64", "", {{"int64_val", R"(["-1"])"}});
  expected += ",\"s\":" + TensorJson("DT_COMPLEX64", "", {{"scomplex_val", "[0.5,0]"}});
  expected += ",\"t\":" + TensorJson("DT_STRING", "", {{"string_val", R"(["YWI="])"}});
  expected +=
      ",\"x\":" + TensorJson("DT_FLOAT", R"({"size":"3","name":""})", {{"float_val", R"([0.1,"Infinity","NaN"])"}});
  EXPECT_EQ(json.substr(json.find("\"defaults\"")), expected + "}}}}}}");
}

TEST(ModelJsonTest, MetadataAsTensorflowServingHasIt) {
  core::ModelSignature signature;
  signature.inputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 1}},
                      {.name = "z", .datatype = DataType::kBool, .shape = {}, .any_shape = true, .unknown_rank = true}};
  signature.outputs = {{.name = "y", .datatype = DataType::kBytes, .shape = {}, .any_shape = true}};
  signature.outputs[0].graph_name = "op:1";
  core::ModelSignature other;
  other.name = "other";
  other.method_name = "tensorflow/serving/regress";
  core::ModelSignature init;
  init.name = "init";
  init.outputs = {{.name = "init", .shape = {}, .any_shape = true, .graph_name = "NoOp", .unknown_rank = true}};
  const core::ModelSignature* const all[] = {&signature, &other, &init};
  EXPECT_EQ(
      MetadataJson("half_plus_two", "123", all),
      R"({"model_spec":{"name":"half_plus_two","signature_name":"","version":"123"},)"
      R"("metadata":{"signature_def":{"signature_def":{"serving_default":{)"
      R"("inputs":{"x":{"dtype":"DT_FLOAT","tensor_shape":{"dim":[{"size":"-1","name":""},{"size":"1","name":""}],)"
      R"("unknown_rank":false},"name":"x"},)"
      R"("z":{"dtype":"DT_BOOL","tensor_shape":{"dim":[],"unknown_rank":true},"name":"z"}},)"
      R"("outputs":{"y":{"dtype":"DT_STRING","tensor_shape":{"dim":[],"unknown_rank":false},"name":"op:1"}},)"
      R"("method_name":"tensorflow/serving/predict","defaults":{}},"other":{"inputs":{},"outputs":{},)"
      R"("method_name":"tensorflow/serving/regress","defaults":{}},"init":{"inputs":{},)"
      R"("outputs":{"init":{"dtype":"DT_INVALID","tensor_shape":{"dim":[],"unknown_rank":true},"name":"NoOp"}},)"
      R"("method_name":"","defaults":{}}}}}})");
}

}  // namespace
}  // namespace inferd::tfs_http
