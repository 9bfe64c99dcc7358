#include "frontends/tfs_http/model_json.h"

#include <gtest/gtest.h>

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
