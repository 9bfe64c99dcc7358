#include "protocols/tfs_grpc/codec/session_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "serving/core/fake_dispatcher.h"
#include "tfs/session_service.pb.h"

namespace inferd::tfs_grpc {
namespace {

using tensorflow::serving::SessionRunRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SessionRunRequest Request(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches) {
  SessionRunRequest request;
  for (const std::string& feed : feeds) request.add_feed()->set_name(feed);
  for (const std::string& fetch : fetches) request.add_fetch(fetch);
  return request;
}

std::string Fault(const SessionRunRequest& request) {
  const auto read = ReadSessionRequest(request.SerializeAsString());
  if (read.has_value()) return "";
  EXPECT_EQ(read.error().code(), base::StatusCode::kInvalidArgument);
  return read.error().message();
}

TEST(SessionRequestTest, NamesAndTensorsAreRead) {
  SessionRunRequest request = Request({"a:0", "b"}, {"y:0", "y:0"});
  request.add_target("init");
  request.set_tensor_name_is_alias(true);
  request.mutable_feed(1)->mutable_tensor()->set_dtype(tensorflow::DT_INT32);
  const std::string bytes = request.SerializeAsString();
  const auto read = ReadSessionRequest(bytes);
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  ASSERT_EQ(read->feeds.size(), 2u);
  EXPECT_EQ(read->feeds[1].name, "b");
  EXPECT_EQ(read->feeds[1].tensor[0].rest(), request.feed(1).tensor().SerializeAsString());
  EXPECT_EQ(read->feeds[0].tensor[0].rest(), "") << "a tensor that is not there is an empty one";
  EXPECT_THAT(read->fetches, ElementsAre("y:0", "y:0"));
  EXPECT_THAT(read->targets, ElementsAre("init"));
  EXPECT_TRUE(read->aliases);
}

TEST(SessionRequestTest, WhatCannotBeRunIsSaidInTensorFlowsWords) {
  EXPECT_EQ(Fault(Request({"x"}, {})), "Must specify at least one target to fetch or execute.");
  EXPECT_EQ(Fault(Request({"x", "x:0"}, {"y"})), "Endpoint \"x:0\" fed more than once.");
  EXPECT_EQ(Fault(Request({"x"}, {"x:0"})), "Endpoint \"x:0\" is both fed and fetched.");
}

TEST(SessionRequestTest, NamesAreBounded) {
  EXPECT_EQ(Fault(Request({}, std::vector<std::string>(kSessionNamesMax, "y"))), "");
  EXPECT_THAT(Fault(Request({}, std::vector<std::string>(kSessionNamesMax + 1, "y"))),
              HasSubstr("expected at most 4096"));
}

TEST(SessionRequestTest, MalformedMessagesAreRefused) {
  for (const char* bytes : {"\x12", "\x12\x03\x0a\x05x", "\x1a\x01\xff", "\x12\x03\x0a\x01\xff"}) {
    EXPECT_FALSE(ReadSessionRequest(bytes).has_value()) << ::testing::PrintToString(bytes);
  }
}

class SessionPlanTest : public ::testing::Test {
 protected:
  SessionPlanTest() {
    model_.signature_.name = "serving_default";
    model_.signature_.inputs = {Spec("x", "x:0"), Spec("bias", "b:0")};
    model_.signature_.inputs[1].optional = true;
    model_.signature_.outputs = {Spec("y", "y:0"), Spec("z", "op:1")};
    core::ModelSignature other;
    other.name = "other";
    other.inputs = {Spec("x", "x:0")};
    other.outputs = {Spec("y", "w:0")};
    model_.AddSignature(other);
  }
  static core::TensorSpec Spec(std::string name, std::string graph_name) {
    return {.name = std::move(name),
            .datatype = tensor::DataType::kFp32,
            .shape = {-1},
            .graph_name = std::move(graph_name)};
  }
  base::Result<SessionPlan> Plan(SessionRunRequest request, std::string_view named = "", bool aliases = false) {
    request.set_tensor_name_is_alias(aliases);
    bytes_ = request.SerializeAsString();
    return PlanSession(*ReadSessionRequest(bytes_), model_, named);
  }

  core::FakePinned model_;
  std::string bytes_;
};

TEST_F(SessionPlanTest, NamesOfTheGraphFindTheSignature) {
  const auto plan = Plan(Request({"b", "x:0"}, {"op:1", "y"}));
  ASSERT_TRUE(plan.has_value()) << plan.error().ToString();
  EXPECT_EQ(plan->signature, 0u);
  EXPECT_THAT(plan->inputs, ElementsAre(1, 0));
  EXPECT_THAT(plan->outputs, ElementsAre(1, 0));
  EXPECT_EQ(Plan(Request({"x"}, {"w"}))->signature, 1u);
  EXPECT_EQ(Plan(Request({"x"}, {"w"}), "nowhere")->signature, 1u);
}

TEST_F(SessionPlanTest, TensorsWithoutNamesInAGraphGoByTheirOwn) {
  model_.signature_.inputs = {{.name = "IN", .datatype = tensor::DataType::kFp32, .shape = {-1}}};
  model_.signature_.outputs = {{.name = "OUT", .datatype = tensor::DataType::kFp32, .shape = {-1}}};
  EXPECT_TRUE(Plan(Request({"IN"}, {"OUT:0"})).has_value());
}

TEST_F(SessionPlanTest, AliasesAreOfTheSignatureThatIsNamed) {
  EXPECT_THAT(Plan(Request({"x"}, {"z"}), "", true)->outputs, ElementsAre(1));
  EXPECT_EQ(Plan(Request({"x"}, {"y"}), "other", true)->signature, 1u);
  EXPECT_EQ(Plan(Request({"x"}, {"z"}), "other", true).error().code(), base::StatusCode::kUnimplemented);
  EXPECT_EQ(Plan(Request({"x"}, {"y"}), "nowhere", true).error().ToString(),
            base::FailedPrecondition("Serving signature key \"nowhere\" not found.").ToString());
}

TEST_F(SessionPlanTest, WhatNoSignatureHasIsNotServed) {
  const auto fault = [this](const SessionRunRequest& request) {
    const auto plan = Plan(request);
    EXPECT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().code(), base::StatusCode::kUnimplemented);
    return plan.error().message();
  };
  EXPECT_EQ(fault(Request({"x", "weights"}, {"y"})),
            "no signature of the model takes {x, weights} and gives {y}, and other tensors of its graph are not served "
            "without --tfs-session-graph");
  EXPECT_THAT(fault(Request({"x"}, {"y", "w"})), HasSubstr("gives {y, w}")) << "of two signatures";
  EXPECT_THAT(fault(Request({}, {"y"})), HasSubstr("takes {}")) << "an input is missing";
  SessionRunRequest request = Request({"x"}, {"y"});
  request.add_target("save");
  EXPECT_THAT(fault(request), HasSubstr("target is not served"));
}

}  // namespace
}  // namespace inferd::tfs_grpc
