#include "protocols/tfs_grpc/session_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/tfs_grpc/service_fixture.h"
#include "tfs/session_service.pb.h"

namespace inferd::tfs_grpc {
namespace {

using tensorflow::serving::SessionRunRequest;
using tensorflow::serving::SessionRunResponse;
using ::testing::HasSubstr;

class SessionCallTest : public ::testing::Test {
 protected:
  SessionCallTest() {
    core::ModelSignature& signature = service_.dispatcher.models["m"]->signature_;
    signature.inputs[0].graph_name = "Placeholder:0";
    signature.outputs[0].graph_name = "add:0";
  }
  static SessionRunRequest Request() {
    SessionRunRequest request;
    request.mutable_model_spec()->set_name("m");
    auto& feed = *request.add_feed();
    feed.set_name("Placeholder");
    *feed.mutable_tensor() = PredictRequest().inputs().at("x");
    request.add_fetch("add:0");
    return request;
  }
  std::string Ask(const SessionRunRequest& request) { return StatusOf(*service_.Ask("SessionRun", request)); }

  TestService service_;
};

TEST_F(SessionCallTest, FeedsAndFetchesGoByTheGraphsNames) {
  SessionRunRequest request = Request();
  request.add_fetch("add");
  const auto call = service_.Ask("SessionRun", request);
  EXPECT_EQ(StatusOf(*call), "0");
  const auto response = ResponseOf<SessionRunResponse>(*call);
  EXPECT_EQ(response.model_spec().ShortDebugString(), R"(name: "m" version { value: 1 })");
  ASSERT_EQ(response.tensor_size(), 2);
  EXPECT_EQ(
      response.tensor(0).ShortDebugString(),
      R"(name: "add:0" tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } dim { size: 2 } } int_val: 1 int_val: -2 })");
  EXPECT_EQ(response.tensor(1).name(), "add");
  ASSERT_EQ(service_.dispatcher.last->outputs.size(), 1u) << "an output is asked for once";
  EXPECT_EQ(service_.dispatcher.last->inputs[0].name, "x");
  EXPECT_THAT(service_.registry.PrometheusText(), HasSubstr("API=\"SessionRun\""));
}

TEST_F(SessionCallTest, TheGraphIsCalledWhereThatIsAllowed) {
  service_.options.session_graph = true;
  core::GraphCall called;
  service_.dispatcher.call_graph =
      [&](const core::GraphCall& call) -> base::Result<std::shared_ptr<const core::PinnedModel>> {
    called = call;
    if (call.fetches.size() > 1) return std::unexpected(base::NotFound("FetchOutputs node nowhere: not found"));
    auto made = std::make_shared<core::FakePinned>();
    made->signature_.inputs = {
        {.name = "Placeholder", .datatype = tensor::DataType::kInt32, .shape = {}, .any_shape = true}};
    made->signature_.outputs = {
        {.name = "weights:0", .datatype = tensor::DataType::kInt32, .shape = {}, .any_shape = true}};
    return made;
  };
  SessionRunRequest request = Request();
  request.set_fetch(0, "weights:0");
  request.add_fetch("weights");
  request.add_target("init");
  const auto call = service_.Ask("SessionRun", request);
  EXPECT_EQ(StatusOf(*call), "0");
  EXPECT_EQ(called, (core::GraphCall{.feeds = {"Placeholder"}, .fetches = {"weights:0"}, .targets = {"init"}}));
  const auto response = ResponseOf<SessionRunResponse>(*call);
  ASSERT_EQ(response.tensor_size(), 2);
  EXPECT_EQ(response.tensor(1).name(), "weights");
  request.set_fetch(1, "nowhere");
  EXPECT_EQ(Ask(request), "5: FetchOutputs node nowhere: not found");
  called = {};
  EXPECT_EQ(Ask(Request()), "0");
  EXPECT_EQ(called, core::GraphCall()) << "a signature has it all";
  request.set_tensor_name_is_alias(true);
  EXPECT_THAT(Ask(request), HasSubstr("12: ")) << "aliases are of signatures";
}

TEST_F(SessionCallTest, WhatIsWrongIsSaid) {
  SessionRunRequest request = Request();
  request.set_fetch(0, "weights:0");
  EXPECT_EQ(Ask(request),
            "12: no signature of the model takes {Placeholder} and gives {weights:0}, and other tensors of its graph "
            "are not served without --tfs-session-graph");
  request.clear_fetch();
  EXPECT_EQ(Ask(request), "3: Must specify at least one target to fetch or execute.");
  request = Request();
  request.mutable_feed(0)->mutable_tensor()->set_dtype(tensorflow::DT_RESOURCE);
  EXPECT_THAT(Ask(request), HasSubstr("3: tensor parsing error: Placeholder"));
  request.clear_model_spec();
  EXPECT_EQ(Ask(request), "3: Missing ModelSpec");
  request.mutable_model_spec()->set_name("n");
  EXPECT_EQ(Ask(request), "5: Servable not found for request: Latest(n)");
}

}  // namespace
}  // namespace inferd::tfs_grpc
