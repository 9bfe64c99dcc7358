#include "protocols/oip_grpc/infer_stream.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "protocols/oip_grpc/service_fixture.h"

namespace inferd::oip_grpc {
namespace {

using inference::ModelStreamInferResponse;

core::InferResponse ResponseTo(std::string_view id, std::string output = "y", bool final = true) {
  core::InferResponse response;
  response.model_name = "m";
  response.model_version = "1";
  response.id = id;
  response.final = final;
  if (output.empty()) return response;
  core::InferTensor& tensor = response.outputs.emplace_back();
  tensor.name = std::move(output);
  tensor.datatype = tensor::DataType::kInt32;
  tensor.shape = {1};
  tensor.data = base::BufferSlice(base::Buffer::CopyOf(std::string_view("\5\0\0\0", 4)));
  return response;
}

core::InferResponse Failure(base::Status status) {
  core::InferResponse response;
  response.status = std::move(status);
  return response;
}

class InferStreamTest : public ::testing::Test {
 protected:
  void Open(TestService::Fields fields = {}) { call_ = service_.Open("ModelStreamInfer", std::move(fields)); }

  void Ask(const inference::ModelInferRequest& request) { call_->Message(request.SerializeAsString()); }
  void Ask(std::string_view id) { Ask(InferRequest(id)); }
  void AskDecoupled(std::string_view id) { Ask(RequestTo("d", id)); }

  static inference::ModelInferRequest RequestTo(std::string_view model, std::string_view id) {
    inference::ModelInferRequest request = InferRequest(id);
    request.set_model_name(std::string(model));
    return request;
  }

  // Adds the model "d", which gives any number of responses.
  std::shared_ptr<core::FakePinned> AddDecoupled() {
    auto model = std::make_shared<core::FakePinned>();
    model->signature_.decoupled = true;
    service_.dispatcher.models["d"] = model;
    return model;
  }

  // From now on keeps completions by their request's id, and the flag of the last one.
  void Hold() {
    service_.dispatcher.infer = [this](const core::PinnedModel&, const core::InferRequest& request,
                                       core::Completion done) {
      held_[request.id] = std::move(done);
      cancel_ = request.cancel;
    };
  }
  void Send(std::string_view id, core::InferResponse response) { held_.at(std::string(id)).Send(std::move(response)); }
  void Answer(std::string_view id) { Send(id, ResponseTo(id)); }

  // Returns the responses so far: "id", "id:output", "id!error".
  std::vector<std::string> Received() {
    std::vector<std::string> received;
    for (size_t i = 0; i < call_->Messages().size(); ++i) {
      const auto response = ResponseOf<ModelStreamInferResponse>(*call_, i);
      std::string text = response.infer_response().id();
      if (!response.error_message().empty()) text += "!" + response.error_message();
      for (const auto& output : response.infer_response().outputs()) text += ":" + output.name();
      const auto& parameters = response.infer_response().parameters();
      if (const auto last = parameters.find("triton_final_response"); last != parameters.end()) {
        text += last->second.bool_param() ? " last" : " more";
      }
      received.push_back(std::move(text));
    }
    return received;
  }

  using Texts = std::vector<std::string>;

  TestService service_;
  std::map<std::string, core::Completion> held_;
  std::shared_ptr<core::CancelFlag> cancel_;
  std::unique_ptr<net::grpc::FakeCall> call_;
};

TEST_F(InferStreamTest, ManyRequestsOneAfterTheOtherOnTheLoop) {
  Open();
  Ask("a");
  EXPECT_EQ(Received(), Texts{"a:x"});
  Ask("b");
  Ask("c");
  EXPECT_EQ(Received(), (Texts{"a:x", "b:x", "c:x"}));
  EXPECT_FALSE(call_->answered());
  EXPECT_EQ(service_.server.pool.waiting(), 0u);
  call_->End();
  EXPECT_EQ(StatusOf(*call_), "0");
}

TEST_F(InferStreamTest, ResponsesComeInTheOrderOfTheRequests) {
  Open();
  Hold();
  for (const char* id : {"a", "b", "c"}) Ask(id);
  EXPECT_EQ(held_.size(), 3u) << "all are in flight";
  Answer("c");
  Answer("b");
  EXPECT_EQ(Received(), Texts{});
  Answer("a");
  EXPECT_EQ(Received(), (Texts{"a:y", "b:y", "c:y"}));
}

TEST_F(InferStreamTest, HalfCloseEndsTheCallBehindTheLastResponse) {
  Open();
  Hold();
  Ask("a");
  Ask("b");
  call_->End();
  Answer("b");
  EXPECT_FALSE(call_->answered());
  Answer("a");
  EXPECT_EQ(Received(), (Texts{"a:y", "b:y"}));
  EXPECT_EQ(StatusOf(*call_), "0");
  EXPECT_FALSE(cancel_ == nullptr);
}

TEST_F(InferStreamTest, AStreamWithoutARequestIsFine) {
  Open();
  call_->End();
  EXPECT_EQ(StatusOf(*call_), "0");
  EXPECT_EQ(Received(), Texts{});
}

TEST_F(InferStreamTest, ErrorsComeInTheirPlaceAndTheStreamGoesOn) {
  Open();
  inference::ModelInferRequest unknown = InferRequest("a");
  unknown.set_model_name("nobody");
  inference::ModelInferRequest bad = InferRequest("b");
  bad.add_raw_input_contents("");
  Ask(unknown);
  Ask(bad);
  Ask("c");
  call_->Message("\xff");
  Hold();
  Ask("d");
  Ask("e");
  Answer("e");
  Send("d", Failure(base::Unavailable("why")));
  const Texts received = Received();
  ASSERT_EQ(received.size(), 6u);
  EXPECT_EQ(received[0], "a!Request for unknown model: 'nobody' is not found");
  EXPECT_TRUE(received[1].starts_with("b!")) << received[1];
  EXPECT_EQ(received[2], "c:x");
  EXPECT_TRUE(received[3].starts_with("!")) << received[3];
  EXPECT_EQ(received[4], "d!why");
  EXPECT_EQ(received[5], "e:y");
  EXPECT_FALSE(call_->answered());
  call_->End();
  EXPECT_EQ(StatusOf(*call_), "0");
}

TEST_F(InferStreamTest, EveryStatusHasItsText) {
  Open();
  for (int code = 1; code <= 16; ++code) {
    service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
      done.Send(Failure({static_cast<base::StatusCode>(code), code % 2 == 0 ? "why" : ""}));
    };
    Ask("i");
    const std::string name(base::StatusCodeName(static_cast<base::StatusCode>(code)));
    EXPECT_EQ(Received().back(), code % 2 == 0 ? "i!why" : "i!" + name);
  }
}

TEST_F(InferStreamTest, TheFirstErrorEndsTheStreamOfAClientThatWantsThat) {
  Open({{"triton_grpc_error", "true"}});
  Hold();
  for (const char* id : {"a", "b", "c"}) Ask(id);
  Send("b", Failure(base::NotFound("why")));
  EXPECT_FALSE(call_->answered()) << "the first request has not been answered";
  Answer("a");
  EXPECT_EQ(Received(), Texts{"a:y"});
  EXPECT_EQ(StatusOf(*call_), "5: why");
  EXPECT_TRUE(cancel_->cancelled());
  Answer("c");
  EXPECT_EQ(Received(), Texts{"a:y"});
}

TEST_F(InferStreamTest, EveryStatusCanEndAStream) {
  for (int code = 1; code <= 16; ++code) {
    service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
      done.Send(Failure({static_cast<base::StatusCode>(code), "why"}));
    };
    Open({{"triton_grpc_error", "true"}});
    Ask("i");
    EXPECT_EQ(StatusOf(*call_), std::to_string(code) + ": why");
  }
}

TEST_F(InferStreamTest, AClientThatCancelsCancelsItsRequests) {
  Open();
  Hold();
  Ask("a");
  Ask("b");
  EXPECT_FALSE(cancel_->cancelled());
  call_->Vanish();
  service_.Settle();
  EXPECT_TRUE(cancel_->cancelled());
  // The stream is gone; later responses are dropped.
  Answer("b");
  service_.server.loop.in_loop = false;
  Answer("a");
  service_.server.loop.in_loop = true;
  service_.Settle();
}

TEST_F(InferStreamTest, WhatFailsBehindTheDeadlineIsTheDeadline) {
  Open({{"grpc-timeout", "20m"}});
  Hold();
  Ask("a");
  service_.server.clock.AdvanceMs(20);
  held_["a"].Fail(base::DeadlineExceeded("Request timeout expired"));
  service_.Settle();
  EXPECT_EQ(StatusOf(*call_), "4: Deadline Exceeded");
  EXPECT_TRUE(call_->Messages().empty());
}

TEST_F(InferStreamTest, ADeadlineEndsTheStreamAndItsRequests) {
  Open({{"grpc-timeout", "20m"}});
  Hold();
  Ask("a");
  EXPECT_EQ(service_.dispatcher.last->deadline_ns, service_.server.clock.NowNs() + 20'000'000);
  service_.server.loop.Advance(std::chrono::milliseconds(30));
  EXPECT_EQ(call_->status(), "4");
  EXPECT_TRUE(cancel_->cancelled());
  Answer("a");
}

TEST_F(InferStreamTest, DestroyedWhileWorkIsOnThePool) {
  service_.options.offload_bytes = 8;
  Open();
  Ask(TypedInferRequest("a"));
  EXPECT_EQ(service_.server.pool.waiting(), 1u);
  call_->Vanish();
  service_.Settle();
  EXPECT_EQ(service_.dispatcher.last, nullptr) << "nobody waits for it";
  inference::ModelInferRequest typed = InferRequest("b");
  (*typed.mutable_parameters())["typed_contents"].set_bool_param(true);
  Open();
  Ask(typed);
  EXPECT_EQ(service_.server.pool.waiting(), 1u);
  call_->Vanish();
  service_.Settle();
}

TEST_F(InferStreamTest, AnswersFromOtherThreads) {
  Open();
  Hold();
  Ask("a");
  Ask("b");
  service_.server.loop.in_loop = false;
  Answer("b");
  Send("a", ResponseTo("a", "y1", false));
  service_.server.loop.in_loop = true;
  // The last response must not overtake the one in the loop's queue.
  Send("a", ResponseTo("a", "y2"));
  EXPECT_EQ(Received(), Texts{});
  service_.server.loop.RunPosted();
  EXPECT_EQ(Received(), (Texts{"a:y1", "a:y2", "b:y"}));
}

// Engines on four threads answer while streams come and go.
TEST_F(InferStreamTest, ManyThreadsAnswerManyStreams) {
  std::mutex mutex;
  std::condition_variable work;
  std::deque<std::pair<std::string, core::Completion>> queue;
  bool stop = false;
  service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest& request, core::Completion done) {
    const std::scoped_lock lock(mutex);
    queue.emplace_back(request.id, std::move(done));
    work.notify_one();
  };
  const auto engine = [&] {
    for (;;) {
      std::unique_lock lock(mutex);
      work.wait(lock, [&] { return stop || !queue.empty(); });
      if (queue.empty()) return;
      auto [id, completion] = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      if (id.back() == '3') completion.Send(ResponseTo(id, "early", false));
      completion.Send(ResponseTo(id));
    }
  };
  std::vector<std::thread> engines;
  for (int i = 0; i < 4; ++i) engines.emplace_back(engine);
  Texts expected;
  for (int i = 0; i < 50; ++i) {
    expected.push_back(std::to_string(i) + (i % 10 == 3 ? ":early" : ":y"));
    if (i % 10 == 3) expected.push_back(std::to_string(i) + ":y");
  }
  for (int round = 0; round < 40; ++round) {
    Open();
    for (int i = 0; i < 50; ++i) Ask(std::to_string(i));
    if (round % 2 == 0) {
      call_->End();
      while (!call_->answered()) service_.Settle();
      EXPECT_EQ(Received(), expected);
    } else {
      service_.Settle();
      call_->Vanish();
      service_.Settle();
    }
  }
  {
    const std::scoped_lock lock(mutex);
    stop = true;
    work.notify_all();
  }
  for (std::thread& thread : engines) thread.join();
}

TEST_F(InferStreamTest, BigTypedMessagesGoByWayOfThePoolAndKeepTheirOrder) {
  service_.options.offload_bytes = 40;
  Open();
  inference::ModelInferRequest big = TypedInferRequest("a");
  for (int i = 0; i < 40; ++i) big.mutable_inputs(0)->mutable_contents()->add_int_contents(i);
  big.mutable_inputs(0)->set_shape(0, 42);
  (*big.mutable_parameters())["typed_contents"].set_bool_param(true);
  Ask(big);
  EXPECT_TRUE(call_->paused) << "the next message waits";
  EXPECT_EQ(service_.dispatcher.last, nullptr);
  service_.server.pool.Run();
  service_.server.loop.RunPosted();
  EXPECT_FALSE(call_->paused);
  EXPECT_EQ(service_.server.pool.waiting(), 1u) << "the response is encoded";
  inference::ModelInferRequest bad = big;
  Ask("b");
  bad.set_id("c");
  bad.mutable_inputs(0)->set_datatype("FP16");
  Ask(bad);
  EXPECT_EQ(Received(), Texts{});
  service_.Settle();
  const Texts received = Received();
  ASSERT_EQ(received.size(), 3u);
  EXPECT_EQ(received[0], "a:x");
  EXPECT_EQ(received[1], "b:x");
  EXPECT_TRUE(received[2].starts_with("c!")) << received[2];
  EXPECT_EQ(ResponseOf<ModelStreamInferResponse>(*call_).infer_response().outputs(0).contents().int_contents_size(),
            42);
}

TEST_F(InferStreamTest, NoMoreRequestsAreTakenThanMayBeInFlight) {
  service_.options.stream_requests_max = 2;
  Open();
  Hold();
  Ask("a");
  EXPECT_FALSE(call_->paused);
  Ask("b");
  EXPECT_TRUE(call_->paused);
  Ask("c");
  EXPECT_EQ(held_.size(), 2u);
  Answer("b");
  EXPECT_TRUE(call_->paused) << "its response waits for the first";
  Answer("a");
  EXPECT_FALSE(call_->paused);
  service_.server.loop.RunPosted();
  EXPECT_EQ(held_.size(), 3u);
  Answer("c");
  EXPECT_EQ(Received(), (Texts{"a:y", "b:y", "c:y"}));
}

TEST_F(InferStreamTest, AClientThatDoesNotReadIsNotReadFrom) {
  Open();
  call_->window_open = false;
  Ask("a");
  EXPECT_EQ(Received(), Texts{"a:x"});
  EXPECT_TRUE(call_->paused);
  Ask("b");
  EXPECT_EQ(service_.dispatcher.last->id, "a");
  call_->window_open = true;
  call_->writable();
  EXPECT_FALSE(call_->paused);
  service_.server.loop.RunPosted();
  EXPECT_EQ(Received(), (Texts{"a:x", "b:x"}));
}

TEST_F(InferStreamTest, ResponsesThatTheClientDoesNotTakeWait) {
  Open();
  Hold();
  for (const char* id : {"a", "b"}) Ask(id);
  call_->window_open = false;
  Answer("a");
  Answer("b");
  EXPECT_EQ(Received(), Texts{"a:y"});
  call_->End();
  EXPECT_FALSE(call_->answered());
  call_->window_open = true;
  call_->writable();
  service_.server.loop.RunPosted();
  EXPECT_EQ(Received(), (Texts{"a:y", "b:y"}));
  EXPECT_EQ(StatusOf(*call_), "0");
}

TEST_F(InferStreamTest, ARequestMayHaveAnyNumberOfResponses) {
  service_.dispatcher.models["m"]->signature_.decoupled = true;
  Open();
  Hold();
  for (const char* id : {"a", "b", "c"}) Ask(id);
  Send("b", ResponseTo("b", "", true));
  Send("a", ResponseTo("a", "y1", false));
  EXPECT_EQ(Received(), Texts{"a:y1 more"});
  Answer("c");
  Send("a", ResponseTo("a", "y2", false));
  Send("a", ResponseTo("a", "", true));
  EXPECT_EQ(Received(), (Texts{"a:y1 more", "c:y last", "a:y2 more"}));
}

TEST_F(InferStreamTest, ResponsesOfDecoupledModelsNeitherWaitNorHoldOthers) {
  AddDecoupled();
  Open();
  Hold();
  Ask("a");
  AskDecoupled("b");
  Ask("c");
  AskDecoupled("d");
  Send("b", ResponseTo("b", "y1", false));
  EXPECT_EQ(Received(), Texts{"b:y1 more"});
  Answer("c");
  Send("d", ResponseTo("d", "y1", false));
  Send("b", ResponseTo("b", "y2", false));
  EXPECT_EQ(Received(), (Texts{"b:y1 more", "d:y1 more", "b:y2 more"}));
  Answer("a");
  EXPECT_EQ(Received(), (Texts{"b:y1 more", "d:y1 more", "b:y2 more", "a:y", "c:y"}));
  call_->End();
  Send("d", ResponseTo("d", "y2", true));
  Send("b", ResponseTo("b", "", true));
  EXPECT_EQ(Received(), (Texts{"b:y1 more", "d:y1 more", "b:y2 more", "a:y", "c:y", "d:y2 last"}));
  EXPECT_EQ(StatusOf(*call_), "0");
}

TEST_F(InferStreamTest, ARefusedRequestToADecoupledModelWaitsForNoOther) {
  AddDecoupled();
  Open();
  Hold();
  Ask("a");
  for (const char* model : {"m", "d"}) {
    inference::ModelInferRequest bad = RequestTo(model, std::string("bad-") + model);
    bad.add_raw_input_contents("");
    Ask(bad);
  }
  ASSERT_EQ(Received().size(), 1u);
  EXPECT_TRUE(Received()[0].starts_with("bad-d!")) << Received()[0];
  Answer("a");
  ASSERT_EQ(Received().size(), 3u);
  EXPECT_EQ(Received()[1], "a:y");
  EXPECT_TRUE(Received()[2].starts_with("bad-m!")) << Received()[2];
}

TEST_F(InferStreamTest, RequestsToDecoupledModelsCountAsInFlight) {
  service_.options.stream_requests_max = 2;
  AddDecoupled();
  Open();
  Hold();
  Ask("a");
  AskDecoupled("b");
  EXPECT_TRUE(call_->paused);
  Send("b", ResponseTo("b", "y", true));
  EXPECT_FALSE(call_->paused);
  call_->window_open = false;
  AskDecoupled("c");
  AskDecoupled("d");  // is read later
  Send("c", ResponseTo("c", "y1", false));
  Send("c", ResponseTo("c", "y2", true));
  EXPECT_TRUE(call_->paused);
  EXPECT_EQ(Received(), (Texts{"b:y last", "c:y1 more"}));
  call_->window_open = true;
  call_->writable();
  EXPECT_FALSE(call_->paused);
  service_.server.loop.RunPosted();
  EXPECT_TRUE(call_->paused) << "the next request was read";
  Send("d", ResponseTo("d", "", true));
  Answer("a");
  EXPECT_EQ(Received(), (Texts{"b:y last", "c:y1 more", "c:y2 last", "a:y"}));
  EXPECT_FALSE(call_->paused);
}

TEST_F(InferStreamTest, AClientThatReadsSlowlyGetsResponsesOfBothKindsInTurn) {
  AddDecoupled();
  Open();
  Hold();
  for (const char* id : {"a", "b"}) Ask(id);
  AskDecoupled("c");
  call_->window_open = false;
  for (const char* output : {"y1", "y2", "y3"}) Send("c", ResponseTo("c", output, false));
  for (const char* id : {"a", "b"}) Answer(id);
  EXPECT_EQ(Received(), Texts{"c:y1 more"});
  call_->window_open = true;
  call_->writable();
  service_.server.loop.RunPosted();
  EXPECT_EQ(Received(), (Texts{"c:y1 more", "a:y", "c:y2 more", "b:y", "c:y3 more"}));
}

// A response that is encoded on the pool keeps its place among those of its request, and of its sequence.
TEST_F(InferStreamTest, ResponsesOfDecoupledModelsKeepTheOrderInWhichTheyArrive) {
  service_.options.offload_bytes = 8;
  AddDecoupled();
  Open();
  Hold();
  Ask("a");
  AskDecoupled("b");
  AskDecoupled("c");
  inference::ModelInferRequest typed = RequestTo("d", "e");
  (*typed.mutable_parameters())["typed_contents"].set_bool_param(true);
  Ask(typed);
  service_.Settle();
  core::InferResponse big = ResponseTo("e", "y1", false);
  big.outputs[0].shape = {4};
  big.outputs[0].data =
      base::BufferSlice(base::Buffer::CopyOf(std::string_view("\5\0\0\0\5\0\0\0\5\0\0\0\5\0\0\0", 16)));
  Send("e", std::move(big));
  EXPECT_EQ(service_.server.pool.waiting(), 1u) << "the response is encoded";
  Send("e", ResponseTo("e", "", true));
  Send("b", ResponseTo("b", "y", true));
  EXPECT_EQ(Received(), Texts{});
  Answer("a");
  EXPECT_EQ(Received(), Texts{"a:y"});
  service_.Settle();
  EXPECT_EQ(Received(), (Texts{"a:y", "e:y1 more", "b:y last"}));
}

TEST_F(InferStreamTest, ADecoupledModelThatWasLoadedHoldsNoOther) {
  const auto model = AddDecoupled();
  service_.dispatcher.models.erase("d");
  service_.dispatcher.on_demand = true;
  Open();
  Hold();
  AskDecoupled("a");
  Ask("b");
  Answer("b");
  EXPECT_EQ(Received(), Texts{}) << "of the first request's model, nothing is known yet";
  auto& demands = service_.dispatcher.demands;
  ASSERT_EQ(demands.size(), 1u);
  demands[0].done({.status = {}, .model = model, .retry_after_ms = 0});
  service_.Settle();
  EXPECT_EQ(Received(), Texts{"b:y"});
  call_->End();
  EXPECT_FALSE(call_->answered());
  Send("a", ResponseTo("a", "y", true));
  EXPECT_EQ(Received(), (Texts{"b:y", "a:y last"}));
  EXPECT_EQ(StatusOf(*call_), "0");
}

TEST_F(InferStreamTest, ResponsesFollowAFailureThatIsNotTheLast) {
  service_.dispatcher.models["m"]->signature_.decoupled = true;
  Open();
  Hold();
  for (const char* id : {"a", "b"}) Ask(id);
  core::InferResponse bad = Failure(base::Internal("bad"));
  bad.final = false;
  Send("a", std::move(bad));
  Send("a", ResponseTo("a", "y", false));
  Send("a", ResponseTo("a", "", true));
  Send("b", Failure(base::Internal("worse")));
  EXPECT_EQ(Received(), (Texts{"a!bad more", "a:y more", "b!worse last"}));
  EXPECT_FALSE(call_->answered());
}

TEST_F(InferStreamTest, EachResponseMayBeHeldBackBehindTheOneBefore) {
  service_.options.delays.response = std::chrono::milliseconds(50);
  Open();
  for (const char* id : {"a", "b"}) Ask(id);
  call_->End();
  EXPECT_EQ(Received(), Texts{});
  service_.server.loop.Advance(std::chrono::milliseconds(60));
  EXPECT_EQ(Received(), Texts{"a:x"});
  EXPECT_FALSE(call_->answered());
  service_.server.loop.Advance(std::chrono::milliseconds(60));
  EXPECT_EQ(Received(), (Texts{"a:x", "b:x"}));
  EXPECT_EQ(StatusOf(*call_), "0");
}

TEST_F(InferStreamTest, TheLastResponseMayBeTakenLater) {
  service_.dispatcher.models["m"]->signature_.decoupled = true;
  service_.options.delays.last_response = std::chrono::milliseconds(50);
  Open();
  Hold();
  Ask("a");
  Send("a", ResponseTo("a", "y1", false));
  Send("a", ResponseTo("a", "y2", true));
  EXPECT_EQ(Received(), Texts{"a:y1 more"});
  service_.server.loop.Advance(std::chrono::milliseconds(60));
  EXPECT_EQ(Received(), (Texts{"a:y1 more", "a:y2 last"}));
}

// The client does not read: the engine must pause, and continue when the client has read some.
TEST_F(InferStreamTest, AnEngineHoldsWhileTheClientTakesNothing) {
  service_.dispatcher.models["m"]->signature_.decoupled = true;
  service_.options.stream_flow = {.responses_held = 2};
  Open();
  std::shared_ptr<core::ResponseFlow> flow;
  service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest& request, core::Completion done) {
    held_[request.id] = std::move(done);
    flow = request.flow;
  };
  Ask("a");
  call_->window_open = false;
  ASSERT_NE(flow, nullptr);
  Send("a", ResponseTo("a", "y1", false));  // the transport has it
  EXPECT_TRUE(flow->open());
  Send("a", ResponseTo("a", "y2", false));
  Send("a", ResponseTo("a", "y3", false));
  EXPECT_FALSE(flow->open());
  bool resumed = false;
  flow->WhenOpen([&resumed] { resumed = true; });
  service_.server.loop.RunPosted();
  EXPECT_FALSE(resumed);
  call_->window_open = true;
  call_->writable();
  service_.server.loop.RunPosted();
  EXPECT_TRUE(resumed);
  EXPECT_TRUE(flow->open());
  EXPECT_EQ(Received(), (Texts{"a:y1 more", "a:y2 more", "a:y3 more"}));
}

// Responses that wait for the client pause only their own engine.
TEST_F(InferStreamTest, RequestsHoldEachForItself) {
  service_.dispatcher.models["m"]->signature_.decoupled = true;
  service_.options.stream_flow = {.responses_held = 1};
  Open();
  std::map<std::string, std::shared_ptr<core::ResponseFlow>> flows;
  service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest& request, core::Completion done) {
    held_[request.id] = std::move(done);
    flows[request.id] = request.flow;
  };
  for (const char* id : {"a", "b"}) Ask(id);
  call_->window_open = false;
  Send("a", ResponseTo("a", "y", false));  // the transport has it
  Send("b", ResponseTo("b", "y", false));
  EXPECT_FALSE(flows["b"]->open());
  EXPECT_TRUE(flows["a"]->open());
  call_->window_open = true;
  call_->writable();
  EXPECT_TRUE(flows["b"]->open());
  EXPECT_EQ(Received(), (Texts{"a:y more", "b:y more"}));
}

TEST_F(InferStreamTest, TheStreamOfAnEngineThatDoesNotHoldEnds) {
  service_.dispatcher.models["m"]->signature_.decoupled = true;
  service_.options.stream_flow = {.responses_held = 1, .responses_max = 3};
  Open();
  Hold();
  Ask("a");
  call_->window_open = false;
  for (int i = 0; i < 5; ++i) Send("a", ResponseTo("a", "y", false));
  EXPECT_EQ(StatusOf(*call_), "8: the client does not take the responses to request 'a', and the model goes on");
  EXPECT_TRUE(cancel_->cancelled());
  Send("a", ResponseTo("a", "y", true));  // and is dropped
}

TEST_F(InferStreamTest, AnEngineThatHoldsGoesOnWhenTheStreamHasGone) {
  service_.dispatcher.models["m"]->signature_.decoupled = true;
  service_.options.stream_flow = {.responses_held = 1};
  Open();
  std::shared_ptr<core::ResponseFlow> flow;
  service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest& request, core::Completion done) {
    held_[request.id] = std::move(done);
    flow = request.flow;
    cancel_ = request.cancel;
  };
  Ask("a");
  call_->window_open = false;
  for (int i = 0; i < 3; ++i) Send("a", ResponseTo("a", "y", false));
  bool resumed = false;
  flow->WhenOpen([&resumed] { resumed = true; });
  call_.reset();
  service_.server.loop.RunPosted();
  EXPECT_TRUE(resumed);
  EXPECT_TRUE(cancel_->cancelled());
}

TEST_F(InferStreamTest, TheEmptyLastResponseIsForThoseWhoAsk) {
  service_.dispatcher.models["m"]->signature_.decoupled = true;
  Open();
  Hold();
  for (const char* id : {"a", "b"}) {
    inference::ModelInferRequest request = InferRequest(id);
    (*request.mutable_parameters())["triton_enable_empty_final_response"].set_bool_param(true);
    Ask(request);
  }
  EXPECT_TRUE(service_.dispatcher.last->parameters.empty());
  Send("a", ResponseTo("a", "y1", false));
  Send("a", ResponseTo("a", "", true));
  Send("b", ResponseTo("b", "", true));
  EXPECT_EQ(Received(), (Texts{"a:y1 more", "a last", "b last"}));
}

TEST_F(InferStreamTest, ALastResponseWithoutOutputsIsSentForItsParameters) {
  service_.dispatcher.models["m"]->signature_.decoupled = true;
  Open();
  Hold();
  Ask("a");
  Send("a", ResponseTo("a", "y1", false));
  core::InferResponse last = ResponseTo("a", "", true);
  last.parameters = {{"tokens", int64_t{7}}};
  Send("a", std::move(last));
  EXPECT_EQ(Received(), (Texts{"a:y1 more", "a last"}));
  const auto parameters = ResponseOf<ModelStreamInferResponse>(*call_, 1).infer_response().parameters();
  EXPECT_EQ(parameters.at("tokens").int64_param(), 7);
}

TEST_F(InferStreamTest, AModelThatIsNotDecoupledAlwaysAnswers) {
  Open();
  Hold();
  Ask("a");
  Ask("b");
  Send("a", ResponseTo("a", "", true));
  Send("b", ResponseTo("b", "y", false));
  Send("b", ResponseTo("b", "", true));
  EXPECT_EQ(Received(), (Texts{"a", "b:y"}));
}

TEST_F(InferStreamTest, ADrainSaysWhatTritonSays) {
  service_.options.triton_exact = true;
  Open();
  Ask("a");
  service_.server.handler->OnDrain();
  EXPECT_EQ(StatusOf(*call_), "14: GRPC server is shutting down and has stopped accepting new requests.");
}

TEST_F(InferStreamTest, ADrainEndsIdleStreamsAndTheOthersBehindTheirLastResponse) {
  Open();
  auto idle = service_.Open("ModelStreamInfer");
  idle->Message(InferRequest().SerializeAsString());
  Hold();
  Ask("a");
  service_.server.handler->OnDrain();
  EXPECT_EQ(StatusOf(*idle), "14: the server is shutting down");
  EXPECT_FALSE(call_->answered());
  Ask("b");
  Answer("a");
  Answer("b");
  EXPECT_EQ(Received(), (Texts{"a:y", "b:y"}));
  EXPECT_EQ(call_->status(), "14");
}

TEST_F(InferStreamTest, ADroppedRequestIsAnswered) {
  Open();
  service_.dispatcher.infer = [](const core::PinnedModel&, const core::InferRequest&, core::Completion) {};
  Ask("a");
  EXPECT_TRUE(Received().at(0).starts_with("a!"));
}

TEST_F(InferStreamTest, TraceAndTimesAreTheRequests) {
  const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  Open({{"traceparent", parent}});
  Ask("a");
  service_.server.clock.AdvanceMs(5);
  Ask("b");
  EXPECT_EQ(service_.dispatcher.last->traceparent, parent);
  EXPECT_EQ(service_.dispatcher.last->received_ns, service_.server.clock.NowNs());
}

TEST_F(InferStreamTest, ARequestWaitsForItsModelToBeLoaded) {
  const auto loaded = service_.dispatcher.models.extract("m").mapped();
  service_.dispatcher.on_demand = true;
  Open();
  Hold();
  for (const char* id : {"a", "b", "c"}) Ask(id);
  auto& demands = service_.dispatcher.demands;
  ASSERT_EQ(demands.size(), 3u);
  demands[1].done({.status = base::Unavailable("broken"), .model = nullptr, .retry_after_ms = 0});
  demands[0].done({.status = {}, .model = loaded, .retry_after_ms = 0});
  service_.Settle();
  Answer("a");
  EXPECT_EQ(Received(), (std::vector<std::string>{"a:y", "b!broken"}));
  call_.reset();
  demands[2].done({.status = {}, .model = loaded, .retry_after_ms = 0});
  service_.Settle();
}

}  // namespace
}  // namespace inferd::oip_grpc
