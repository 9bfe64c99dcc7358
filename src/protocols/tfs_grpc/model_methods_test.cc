#include "protocols/tfs_grpc/model_methods.h"

#include <gtest/gtest.h>

#include "protocols/tfs_grpc/service_fixture.h"
#include "tfs/model_service.pb.h"

namespace inferd::tfs_grpc {
namespace {

namespace serving = tensorflow::serving;

TEST(GetModelMetadataTest, IsASignatureInAnAny) {
  TestService service;
  core::ModelSignature init;
  init.name = "__init";
  init.outputs = {{.name = "__init", .shape = {}, .any_shape = true, .graph_name = "NoOp", .unknown_rank = true}};
  service.dispatcher.models["m"]->ShowSignature(init);
  serving::GetModelMetadataRequest request;
  EXPECT_EQ(StatusOf(*service.Ask("GetModelMetadata", request)), "3: Missing ModelSpec");
  request.mutable_model_spec()->set_name("m");
  EXPECT_EQ(StatusOf(*service.Ask("GetModelMetadata", request)),
            "3: GetModelMetadataRequest must specify at least one metadata_field");
  request.add_metadata_field("graph");
  EXPECT_EQ(StatusOf(*service.Ask("GetModelMetadata", request)), "3: Metadata field graph is not supported");
  request.set_metadata_field(0, "signature_def");
  const auto response = ResponseOf<serving::GetModelMetadataResponse>(*service.Ask("GetModelMetadata", request));
  EXPECT_EQ(response.model_spec().ShortDebugString(), R"(name: "m" version { value: 1 })");
  const auto& any = response.metadata().at("signature_def");
  EXPECT_EQ(any.type_url(), "type.googleapis.com/tensorflow.serving.SignatureDefMap");
  serving::SignatureDefMap map;
  ASSERT_TRUE(any.UnpackTo(&map));
  const auto& signature = map.signature_def().at("serving_default");
  EXPECT_EQ(signature.method_name(), "tensorflow/serving/predict");
  EXPECT_EQ(signature.inputs().at("x").ShortDebugString(),
            R"(name: "x" dtype: DT_INT32 tensor_shape { dim { size: -1 } dim { size: 2 } })");
  EXPECT_EQ(map.signature_def().at("__init").outputs().at("__init").ShortDebugString(),
            R"(name: "NoOp" tensor_shape { unknown_rank: true })");
  EXPECT_EQ(map.signature_def().at("__init").method_name(), "");
  auto predict = PredictRequest();
  predict.mutable_model_spec()->set_signature_name("__init");
  EXPECT_EQ(StatusOf(*service.Ask("Predict", predict)), "9: Serving signature key \"__init\" not found.")
      << "it is only shown";
  request.mutable_model_spec()->set_name("n");
  EXPECT_EQ(StatusOf(*service.Ask("GetModelMetadata", request)), "5: Servable not found for request: Latest(n)");
}

TEST(GetModelStatusTest, VersionsAndWhyNot) {
  TestService service;
  service.catalog.versions = std::vector<core::IndexEntry>{
      {.name = "m",
       .version = "1",
       .state = core::ModelState::kUnavailable,
       .reason = "no such op",
       .repository = "",
       .failed_code = base::StatusCode::kDataLoss},
      {.name = "m", .version = "2", .state = core::ModelState::kReady, .reason = "", .repository = ""}};
  serving::GetModelStatusRequest request;
  EXPECT_EQ(StatusOf(*service.Ask("GetModelStatus", request)), "3: Missing ModelSpec");
  request.mutable_model_spec()->set_name("m");
  const auto all = ResponseOf<serving::GetModelStatusResponse>(*service.Ask("GetModelStatus", request));
  ASSERT_EQ(all.model_version_status_size(), 2);
  EXPECT_EQ(all.model_version_status(0).ShortDebugString(), "version: 2 state: AVAILABLE status { }");
  EXPECT_EQ(all.model_version_status(1).ShortDebugString(),
            R"(version: 1 state: END status { error_code: DATA_LOSS error_message: "no such op" })");
  service.dispatcher.labels = {{"stable", "2"}};
  request.mutable_model_spec()->set_version_label("stable");
  EXPECT_EQ(
      ResponseOf<serving::GetModelStatusResponse>(*service.Ask("GetModelStatus", request)).model_version_status_size(),
      1);
  request.mutable_model_spec()->mutable_version()->set_value(7);
  EXPECT_EQ(StatusOf(*service.Ask("GetModelStatus", request)), "5: Could not find version 7 of model m");
  service.catalog.versions = std::unexpected(base::NotFound("no"));
  EXPECT_EQ(StatusOf(*service.Ask("GetModelStatus", request)), "5: Could not find any versions of model m");
}

TEST(HandleReloadConfigRequestTest, TheServerServesWhatItSays) {
  TestService service;
  serving::ReloadConfigRequest request;
  request.mutable_config()->mutable_model_config_list()->add_config()->set_name("m");
  const auto answered = service.Ask("HandleReloadConfigRequest", request);
  EXPECT_EQ(StatusOf(*answered), "0");
  EXPECT_TRUE(ResponseOf<serving::ReloadConfigResponse>(*answered).has_status());
  EXPECT_EQ(service.reloaded, request.config().SerializeAsString());
  EXPECT_EQ(ResponseOf<serving::ReloadConfigResponse>(*answered).metric_size(), 0);
  service.reload_outcome = base::FailedPrecondition("a label");
  EXPECT_EQ(StatusOf(*service.Ask("HandleReloadConfigRequest", request)), "9: a label");
}

TEST(HandleReloadConfigRequestTest, CountersAreSaidToHaveIncreased) {
  TestService service;
  const auto counter = service.registry.AddCounter(":tensorflow:serving:load_attempt_count", "", {{"status", "OK"}});
  counter->Add(5);
  service.on_reload = [&counter] { counter->Add(2); };
  serving::ReloadConfigRequest request;
  request.add_metric_names("/tensorflow/serving/load_attempt_count");
  request.add_metric_names("/nothing");
  request.add_metric_names("/nothing");
  const auto answered = service.Ask("HandleReloadConfigRequest", request);
  const auto response = ResponseOf<serving::ReloadConfigResponse>(*answered);
  ASSERT_EQ(response.metric_size(), 2);
  EXPECT_EQ(response.metric(0).ShortDebugString(), R"(name: "/nothing" int64_value_increase: 0)");
  EXPECT_EQ(response.metric(1).ShortDebugString(),
            R"(name: "/tensorflow/serving/load_attempt_count" int64_value_increase: 2)");
  for (int i = 0; i < 254; ++i) request.add_metric_names("/nothing");
  EXPECT_EQ(StatusOf(*service.Ask("HandleReloadConfigRequest", request)),
            "3: expected at most 256 metric_names, got 257");
}

}  // namespace
}  // namespace inferd::tfs_grpc
