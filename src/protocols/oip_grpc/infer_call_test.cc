#include "protocols/oip_grpc/infer_call.h"

#include <gtest/gtest.h>

#include "protocols/oip_grpc/service_fixture.h"

namespace inferd::oip_grpc {
namespace {

using core::FakeDispatcher;
using core::FakePinned;
using inference::ModelInferResponse;

class InferCallTest : public ::testing::Test {
 protected:
  std::unique_ptr<net::grpc::FakeCall> Infer(const inference::ModelInferRequest& request,
                                             TestService::Fields fields = {}) {
    return service_.Ask("ModelInfer", request, std::move(fields));
  }
  // Keeps the completion of the next request.
  void Hold(core::Completion& completion) {
    service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
      completion = std::move(done);
    };
  }

  TestService service_;
};

void ExpectAnswer(const ModelInferResponse& response) {
  EXPECT_EQ(response.model_name(), "m");
  EXPECT_EQ(response.model_version(), "1");
  EXPECT_EQ(response.id(), "7");
  ASSERT_EQ(response.outputs_size(), 1);
  EXPECT_EQ(response.outputs(0).name(), "x");
  EXPECT_EQ(response.outputs(0).datatype(), "INT32");
  ASSERT_EQ(response.raw_output_contents_size(), 1);
  EXPECT_EQ(response.raw_output_contents(0), std::string("\1\0\0\0\xfe\xff\xff\xff", 8));
}

TEST_F(InferCallTest, SmallRequestsNeverLeaveTheLoop) {
  auto call = service_.Open("ModelInfer");
  call->Unary(InferRequest().SerializeAsString());
  ASSERT_TRUE(call->answered());
  EXPECT_EQ(StatusOf(*call), "0");
  ExpectAnswer(ResponseOf<ModelInferResponse>(*call));
  EXPECT_EQ(service_.server.pool.waiting(), 0u);
}

TEST_F(InferCallTest, BigTypedRequestsAndResponsesGoByWayOfThePool) {
  service_.options.offload_bytes = 8;
  inference::ModelInferRequest request = TypedInferRequest();
  (*request.mutable_parameters())["typed_contents"].set_bool_param(true);
  auto call = service_.Open("ModelInfer");
  call->Unary(request.SerializeAsString());
  EXPECT_EQ(service_.dispatcher.last, nullptr);
  EXPECT_EQ(service_.server.pool.waiting(), 1u);
  service_.server.pool.Run();
  service_.server.loop.RunPosted();
  EXPECT_NE(service_.dispatcher.last, nullptr);
  EXPECT_FALSE(call->answered());
  EXPECT_EQ(service_.server.pool.waiting(), 1u);
  service_.server.pool.Run();
  service_.server.loop.RunPosted();
  EXPECT_EQ(StatusOf(*call), "0");
  EXPECT_EQ(ResponseOf<ModelInferResponse>(*call).outputs(0).contents().int_contents(1), -2);
}

TEST_F(InferCallTest, BigRawRequestsAndResponsesStayOnTheLoop) {
  service_.options.offload_bytes = 64;
  inference::ModelInferRequest request = InferRequest();
  request.mutable_inputs(0)->set_shape(0, 1000);
  request.set_raw_input_contents(0, std::string(4000, '\1'));
  auto call = service_.Open("ModelInfer");
  call->Unary(request.SerializeAsString());
  EXPECT_EQ(StatusOf(*call), "0");
  EXPECT_EQ(service_.server.pool.waiting(), 0u);
}

TEST_F(InferCallTest, OutputsAreTypedWhereAsked) {
  inference::ModelInferRequest request = InferRequest();
  const auto typed = [&] {
    const auto response = ResponseOf<ModelInferResponse>(*Infer(request));
    EXPECT_EQ(response.outputs_size(), 1);
    EXPECT_NE(response.raw_output_contents_size() == 1, response.outputs(0).contents().int_contents_size() == 2);
    return response.raw_output_contents_size() == 0;
  };
  EXPECT_FALSE(typed());
  auto& parameter = (*request.mutable_parameters())["typed_contents"];
  parameter.set_bool_param(true);
  EXPECT_TRUE(typed());
  EXPECT_TRUE(service_.dispatcher.last->parameters.empty()) << "the model does not see it";
  service_.options.typed_outputs = true;
  parameter.set_bool_param(false);
  EXPECT_FALSE(typed());
  request.clear_parameters();
  EXPECT_TRUE(typed());
  service_.options.typed_outputs = false;
  service_.options.typed_as_inputs = true;
  EXPECT_FALSE(typed()) << "its input is raw";
  inference::ModelInferRequest raw = request;
  request.clear_raw_input_contents();
  for (const int value : {1, -2}) request.mutable_inputs(0)->mutable_contents()->add_int_contents(value);
  EXPECT_TRUE(typed());
  (*request.mutable_parameters())["typed_contents"].set_bool_param(false);
  EXPECT_FALSE(typed());
  request = raw;
  (*request.mutable_parameters())["typed_contents"].set_int64_param(1);
  EXPECT_EQ(StatusOf(*Infer(request)), "3: parameter 'typed_contents': expected true or false, got 1");
}

TEST_F(InferCallTest, KnownParametersAreTakenAndTheRestIsTheModels) {
  inference::ModelInferRequest request = InferRequest();
  (*request.mutable_parameters())["timeout"].set_int64_param(1500);
  (*request.mutable_parameters())["priority"].set_uint64_param(2);
  (*request.mutable_parameters())["sequence_id"].set_string_param("s");
  (*request.mutable_parameters())["sequence_start"].set_bool_param(true);
  (*request.mutable_parameters())["triton_enable_empty_final_response"].set_bool_param(true);
  (*request.mutable_parameters())["mine"].set_double_param(0.5);
  service_.server.clock.AdvanceMs(5);
  EXPECT_EQ(StatusOf(*Infer(request)), "0");
  const core::InferRequest& seen = *service_.dispatcher.last;
  EXPECT_EQ(seen.timeout_us, 1500u);
  EXPECT_EQ(seen.priority, 2u);
  EXPECT_EQ(std::get<std::string>(seen.sequence.id), "s");
  EXPECT_TRUE(seen.sequence.start);
  EXPECT_EQ(seen.parameters, (core::Parameters{{"mine", 0.5}}));
  EXPECT_EQ(seen.received_ns, service_.server.clock.NowNs());
  EXPECT_EQ(seen.deadline_ns, 0);
  (*request.mutable_parameters())["triton_x"].set_bool_param(true);
  EXPECT_EQ(Infer(request)->status(), "3");
}

TEST_F(InferCallTest, SharedMemoryIsUnimplemented) {
  inference::ModelInferRequest request = InferRequest();
  (*request.mutable_inputs(0)->mutable_parameters())["shared_memory_region"].set_string_param("r");
  request.clear_raw_input_contents();
  EXPECT_EQ(Infer(request)->status(), "12");
  request = InferRequest();
  (*request.add_outputs()->mutable_parameters())["shared_memory_region"].set_string_param("r");
  EXPECT_EQ(Infer(request)->status(), "12");
}

TEST_F(InferCallTest, ClassifiedOutputs) {
  inference::ModelInferRequest request = InferRequest();
  auto& output = *request.add_outputs();
  output.set_name("y");
  (*output.mutable_parameters())["classification"].set_int64_param(1);
  const auto response = ResponseOf<ModelInferResponse>(*Infer(request));
  ASSERT_EQ(response.outputs_size(), 1);
  EXPECT_EQ(response.outputs(0).datatype(), "BYTES");
  EXPECT_EQ(response.raw_output_contents(0), std::string("\3\0\0\0"
                                                         "1:0",
                                                         7));
}

TEST_F(InferCallTest, AnswersFromOtherThreadsArePostedToTheLoop) {
  core::Completion completion;
  Hold(completion);
  auto call = service_.Open("ModelInfer");
  call->Unary(InferRequest().SerializeAsString());
  service_.server.loop.in_loop = false;
  FakeDispatcher::Echo(FakePinned(), *service_.dispatcher.last, std::move(completion));
  EXPECT_FALSE(call->answered());
  service_.server.loop.in_loop = true;
  service_.server.loop.RunPosted();
  ExpectAnswer(ResponseOf<ModelInferResponse>(*call));
}

TEST_F(InferCallTest, UnknownModelsAndVersions) {
  inference::ModelInferRequest request = InferRequest();
  request.set_model_name("nobody");
  EXPECT_EQ(StatusOf(*Infer(request)), "5: Request for unknown model: 'nobody' is not found");
  request.set_model_name("m");
  request.set_model_version("10");
  EXPECT_EQ(Infer(request)->status(), "5");
  request.set_model_version("1");
  EXPECT_EQ(Infer(request)->status(), "0");
}

TEST_F(InferCallTest, UndecodableMessages) {
  EXPECT_EQ(service_.Ask("ModelInfer", "\xff")->status(), "3");
  service_.options.offload_bytes = 1;
  EXPECT_EQ(service_.Ask("ModelInfer", "\xff\xff")->status(), "3");
}

TEST_F(InferCallTest, EveryStatusKeepsItsCodeAndText) {
  for (int code = 1; code <= 16; ++code) {
    core::InferResponse response;
    response.status = base::Status(static_cast<base::StatusCode>(code), "why");
    service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
      done.Send(core::InferResponse(response));
    };
    EXPECT_EQ(StatusOf(*Infer(InferRequest())), std::to_string(code) + ": why");
    response.status = base::Status(static_cast<base::StatusCode>(code), "");
    EXPECT_EQ(Infer(InferRequest())->message(), base::StatusCodeName(response.status.code()));
  }
}

TEST_F(InferCallTest, AFullQueueHasThePersonalitysCode) {
  int64_t retry_after_ms = 100;
  service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    core::InferResponse response;
    response.status = base::ResourceExhausted("full");
    response.retry_after_ms = retry_after_ms;
    done.Send(std::move(response));
  };
  const auto refused = Infer(InferRequest());
  EXPECT_EQ(StatusOf(*refused), "8: full");
  EXPECT_EQ(refused->Trailer("grpc-retry-pushback-ms"), "100");
  EXPECT_NE(refused->Trailer("grpc-status-details-bin"), "");
  service_.options.queue_full.code = base::StatusCode::kUnavailable;
  EXPECT_EQ(StatusOf(*Infer(InferRequest())), "14: full");
  retry_after_ms = 0;
  const auto other = Infer(InferRequest());
  EXPECT_EQ(StatusOf(*other), "8: full") << "some other resource";
  EXPECT_EQ(other->Trailer("grpc-retry-pushback-ms") + other->Trailer("grpc-status-details-bin"), "");
}

TEST_F(InferCallTest, ADroppedRequestIsAnswered) {
  service_.dispatcher.infer = [](const core::PinnedModel&, const core::InferRequest&, core::Completion) {};
  EXPECT_EQ(Infer(InferRequest())->status(), "13");
}

TEST_F(InferCallTest, OneOfManyResponsesIsAllThatACallCarries) {
  int responses = 1;
  service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest& request, core::Completion done) {
    for (int i = 0; i < responses; ++i) {
      core::InferResponse response;
      response.id = request.id;
      response.outputs.assign(request.inputs.begin(), request.inputs.end());
      response.final = false;
      done.Send(std::move(response));
    }
    done.Send({});
  };
  const auto call = Infer(InferRequest());
  EXPECT_EQ(StatusOf(*call), "0");
  EXPECT_EQ(ResponseOf<ModelInferResponse>(*call).outputs_size(), 1);
  responses = 2;
  EXPECT_EQ(StatusOf(*Infer(InferRequest())),
            "12: ModelInfer RPC doesn't support models with decoupled transaction policy");
}

TEST_F(InferCallTest, AClientThatCancelsSetsTheFlag) {
  core::Completion completion;
  Hold(completion);
  auto call = service_.Open("ModelInfer");
  call->Unary(InferRequest().SerializeAsString());
  EXPECT_FALSE(service_.dispatcher.last->cancel->cancelled());
  call->Vanish();
  service_.server.loop.RunPosted();
  EXPECT_TRUE(service_.dispatcher.last->cancel->cancelled());
  completion.Fail(base::Cancelled("gone"));
  EXPECT_FALSE(call->answered());
}

TEST_F(InferCallTest, AClientThatCancelsWhileItsRequestIsPrepared) {
  service_.options.offload_bytes = 8;
  auto call = service_.Open("ModelInfer");
  call->Unary(TypedInferRequest().SerializeAsString());
  call->Vanish();
  service_.Settle();
  ASSERT_NE(service_.dispatcher.last, nullptr);
  EXPECT_TRUE(service_.dispatcher.last->cancel->cancelled());
}

TEST_F(InferCallTest, TheDeadlineIsTheRequests) {
  core::Completion completion;
  Hold(completion);
  auto call = service_.Open("ModelInfer", {{"grpc-timeout", "20m"}});
  call->Unary(InferRequest().SerializeAsString());
  EXPECT_EQ(service_.dispatcher.last->deadline_ns, service_.server.clock.NowNs() + 20'000'000);
  service_.server.loop.Advance(std::chrono::milliseconds(30));
  EXPECT_EQ(call->status(), "4");
  EXPECT_TRUE(service_.dispatcher.last->cancel->cancelled());
  completion.Fail(base::DeadlineExceeded("late"));
}

TEST_F(InferCallTest, WhatFailsBehindTheDeadlineIsTheDeadline) {
  core::Completion completion;
  Hold(completion);
  auto call = service_.Open("ModelInfer", {{"grpc-timeout", "20m"}});
  call->Unary(InferRequest().SerializeAsString());
  service_.server.clock.AdvanceMs(20);
  completion.Fail(base::DeadlineExceeded("Request timeout expired"));
  service_.Settle();
  EXPECT_EQ(StatusOf(*call), "4: Deadline Exceeded");
  auto patient = service_.Open("ModelInfer", {{"grpc-timeout", "20m"}});
  patient->Unary(InferRequest().SerializeAsString());
  completion.Fail(base::DeadlineExceeded("Request timeout expired"));
  service_.Settle();
  EXPECT_EQ(StatusOf(*patient), "4: Request timeout expired");
}

TEST_F(InferCallTest, ItsAnswerMayBeHeldBack) {
  service_.options.delays.answer = std::chrono::milliseconds(50);
  auto call = service_.Ask("ModelInfer", InferRequest());
  EXPECT_TRUE(call->Messages().empty());
  service_.server.loop.Advance(std::chrono::milliseconds(60));
  EXPECT_EQ(StatusOf(*call), "0");
  EXPECT_EQ(call->Messages().size(), 1u);
}

TEST_F(InferCallTest, ItMayBeTakenUpLaterUnlessItsClientHasGone) {
  service_.options.delays.call = std::chrono::milliseconds(50);
  auto call = service_.Ask("ModelInfer", InferRequest("stays"));
  auto gone = service_.Ask("ModelInfer", InferRequest("gone"));
  gone->Vanish();
  service_.server.loop.RunPosted();
  EXPECT_EQ(service_.dispatcher.last, nullptr);
  service_.server.loop.Advance(std::chrono::milliseconds(60));
  EXPECT_EQ(service_.dispatcher.last->id, "stays");
  EXPECT_EQ(StatusOf(*call), "0");
}

TEST_F(InferCallTest, ThatItsClientHasGoneMayBeNoticedLater) {
  service_.options.delays.notice = std::chrono::milliseconds(50);
  core::Completion completion;
  Hold(completion);
  auto call = service_.Open("ModelInfer");
  call->Unary(InferRequest().SerializeAsString());
  const auto flag = service_.dispatcher.last->cancel;
  call->Vanish();
  service_.server.loop.RunPosted();
  EXPECT_FALSE(flag->cancelled());
  service_.server.loop.Advance(std::chrono::milliseconds(60));
  EXPECT_TRUE(flag->cancelled());
  completion.Fail(base::Cancelled("gone"));
  service_.Settle();
}

TEST_F(InferCallTest, MetadataThatMatchBecomeParameters) {
  service_.options.forwarded_metadata = *base::NamePattern::Create("x-.*");
  Infer(InferRequest(), {{"x-user", "ann"}, {"y-user", "bob"}});
  EXPECT_EQ(service_.dispatcher.last->parameters, (core::Parameters{{"x-user", std::string("ann")}}));
  auto stream = service_.Open("ModelStreamInfer", {{"x-user", "cid"}});
  for (int i = 0; i < 2; ++i) {
    stream->Message(InferRequest().SerializeAsString());
    EXPECT_EQ(service_.dispatcher.last->parameters, (core::Parameters{{"x-user", std::string("cid")}}));
  }
}

TEST_F(InferCallTest, TraceparentIsKeptIfItIsOne) {
  const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  Infer(InferRequest(), {{"traceparent", parent}});
  EXPECT_EQ(service_.dispatcher.last->traceparent, parent);
  Infer(InferRequest(), {{"traceparent", "00-1"}});
  EXPECT_EQ(service_.dispatcher.last->traceparent, "");
}

TEST_F(InferCallTest, ARequestWaitsForItsModelToBeLoaded) {
  const auto loaded = service_.dispatcher.models.extract("m").mapped();
  service_.dispatcher.on_demand = true;
  for (const base::Status& status : {base::OkStatus(), base::Unavailable("no such operator")}) {
    const auto call = Infer(InferRequest());
    ASSERT_EQ(service_.dispatcher.demands.size(), 1u);
    EXPECT_FALSE(call->answered());
    service_.dispatcher.demands[0].done({.status = status, .model = loaded, .retry_after_ms = 0});
    service_.dispatcher.demands.clear();
    service_.Settle();
    ASSERT_TRUE(call->answered());
    EXPECT_EQ(StatusOf(*call), status.ok() ? "0" : "14: no such operator");
    if (status.ok()) ExpectAnswer(ResponseOf<ModelInferResponse>(*call));
  }
}

}  // namespace
}  // namespace inferd::oip_grpc
