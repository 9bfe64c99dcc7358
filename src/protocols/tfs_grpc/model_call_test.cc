#include "protocols/tfs_grpc/model_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/tfs_grpc/service_fixture.h"

namespace inferd::tfs_grpc {
namespace {

using ::testing::HasSubstr;

TEST(ModelCallTest, CallsAreLoggedAsTheyCame) {
  TestService service;
  service.request_log.logged = "m";
  const auto request = PredictRequest();
  const auto call = service.Ask("Predict", request);
  ASSERT_EQ(StatusOf(*call), "0");
  ASSERT_EQ(service.request_log.calls.size(), 1u);
  tfs::LoggedCall& logged = service.request_log.calls[0];
  EXPECT_EQ(logged.api, tfs::Api::kPredict);
  EXPECT_EQ(logged.model, "m");
  EXPECT_EQ(logged.version, "1");
  const auto messages = logged.make_messages().value();
  EXPECT_EQ(messages.request, request.SerializeAsString());
  EXPECT_EQ(messages.response, ResponseOf<tensorflow::serving::PredictResponse>(*call).SerializeAsString());
  EXPECT_EQ(logged.bytes, messages.request.size() + messages.response.size());
}

TEST(ModelCallTest, FailuresAndOtherModelsAreNotLogged) {
  TestService service;
  service.request_log.logged = "m";
  auto request = PredictRequest();
  request.clear_inputs();
  EXPECT_NE(StatusOf(*service.Ask("Predict", request)), "0");
  service.request_log.logged = "n";
  EXPECT_EQ(StatusOf(*service.Ask("Predict", PredictRequest())), "0");
  EXPECT_TRUE(service.request_log.calls.empty());
}

TEST(ModelCallTest, WhatTheModelTookIsCounted) {
  TestService service;
  service.Ask("Predict", PredictRequest());
  EXPECT_THAT(service.registry.PrometheusText(),
              HasSubstr(R"(:tensorflow:serving:runtime_latency_count{model_name="m",API="Predict",runtime="TF1"} 1)"));
}

TEST(ModelCallTest, ACallWaitsForItsModelToBeLoadedUnlessItsLabelIsUnknown) {
  TestService service;
  const auto loaded = service.dispatcher.models.extract("m").mapped();
  service.dispatcher.on_demand = true;
  auto call = service.Ask("Predict", PredictRequest());
  ASSERT_EQ(service.dispatcher.demands.size(), 1u);
  service.dispatcher.demands[0].done({.status = {}, .model = loaded, .retry_after_ms = 0});
  service.Settle();
  EXPECT_EQ(StatusOf(*call), "0");
  auto request = PredictRequest();
  request.mutable_model_spec()->set_version_label("none");
  call = service.Ask("Predict", request);
  EXPECT_EQ(service.dispatcher.demands.size(), 1u);
  EXPECT_THAT(StatusOf(*call), HasSubstr("Unrecognized servable version label"));
}

}  // namespace
}  // namespace inferd::tfs_grpc
