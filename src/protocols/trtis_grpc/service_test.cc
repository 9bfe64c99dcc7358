#include "protocols/trtis_grpc/service.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "net/grpc/fake_call.h"
#include "serving/core/fake_catalog.h"
#include "serving/core/fake_dispatcher.h"
#include "trtis/grpc_service.pb.h"

namespace inferd::trtis_grpc {
namespace {

namespace nv = nvidia::inferenceserver;

// The service over the real gRPC layer. Model "m" takes x FP32 [-1, 2], and answers y = x.
class TrtisServiceTest : public ::testing::Test {
 protected:
  TrtisServiceTest() {
    auto pinned = std::make_shared<core::FakePinned>();
    pinned->signature_.max_batch_size = 4;
    pinned->signature_.inputs = {{.name = "x", .datatype = tensor::DataType::kFp32, .shape = {-1, 2}}};
    pinned->signature_.outputs = {{.name = "y", .datatype = tensor::DataType::kFp32, .shape = {-1, 2}}};
    dispatcher_.models["m"] = pinned;
    catalog_.versions = std::vector<core::IndexEntry>(1);
    catalog_.statistics = std::vector<core::ModelStatistics>();
    options_.state = &state_;
    server_.Serve(Methods({.options = options_,
                           .access = access_,
                           .dispatcher = dispatcher_,
                           .catalog = catalog_,
                           .pool = server_.pool,
                           .logger = *logger_,
                           .clock = server_.clock,
                           .draining = draining_}));
  }
  // Calls' closures hold the server's parts.
  ~TrtisServiceTest() override { Settle(); }

  void Settle() {
    do {
      server_.pool.Run();
      server_.loop.RunPosted();
    } while (server_.pool.waiting() > 0);
  }
  std::unique_ptr<net::grpc::FakeCall> Open(const std::string& method) {
    return std::make_unique<net::grpc::FakeCall>(server_, kService + method, net::grpc::FakeCall::Fields());
  }
  // Returns the response of a call, which ends with OK.
  template <typename Response>
  Response Ask(const std::string& method, const google::protobuf::Message& request) {
    const auto call = Open(method);
    call->Unary(request.SerializeAsString());
    Settle();
    return ResponseOf<Response>(*call);
  }
  template <typename Response>
  static Response ResponseOf(const net::grpc::FakeCall& call) {
    Response response;
    const auto messages = call.Messages();
    EXPECT_EQ(call.status(), "0");
    EXPECT_TRUE(messages.size() == 1 && response.ParseFromString(messages[0].substr(2)));
    return response;
  }
  static nv::InferRequest Request() {
    nv::InferRequest request;
    request.set_model_name("m");
    request.mutable_meta_data()->set_batch_size(1);
    auto& input = *request.mutable_meta_data()->add_input();
    input.set_name("x");
    input.set_byte_size(8);
    auto& output = *request.mutable_meta_data()->add_output();
    output.set_name("y");
    output.set_byte_size(8);
    request.add_raw_input("12345678");
    return request;
  }

  trtis::ServerState state_{"s", "1"};
  Options options_;
  access::Policy access_;
  core::FakeDispatcher dispatcher_;
  core::FakeCatalog catalog_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  std::atomic<bool> draining_{false};
  net::grpc::FakeServer server_;
};

TEST_F(TrtisServiceTest, AnInferenceIsAnsweredWithItsStatus) {
  const auto answer = Ask<nv::InferResponse>("Infer", Request());
  EXPECT_EQ(answer.request_status().code(), nv::SUCCESS);
  EXPECT_EQ(answer.request_status().server_id(), "s");
  EXPECT_EQ(answer.request_status().request_id(), 1u);
  ASSERT_EQ(answer.raw_output_size(), 1);
  EXPECT_EQ(answer.raw_output(0), "12345678");
  EXPECT_EQ(answer.meta_data().model_name(), "m");
  EXPECT_EQ(answer.meta_data().output(0).raw().byte_size(), 8u);
}

TEST_F(TrtisServiceTest, AFailureEndsWithOk) {
  dispatcher_.infer = [](const core::PinnedModel&, const core::InferRequest&, core::Completion completion) {
    completion.Fail(base::ResourceExhausted("the queue is full"));
  };
  const auto answer = Ask<nv::InferResponse>("Infer", Request());
  EXPECT_EQ(answer.request_status().code(), nv::UNAVAILABLE);
  EXPECT_EQ(answer.request_status().msg(), "the queue is full");
  EXPECT_FALSE(answer.has_meta_data());
  EXPECT_EQ(answer.raw_output_size(), 0);
}

TEST_F(TrtisServiceTest, WhatIsRefusedBeforeItRunsIsCounted) {
  nv::InferRequest request = Request();
  request.mutable_meta_data()->mutable_input(0)->set_byte_size(12);
  EXPECT_EQ(Ask<nv::InferResponse>("Infer", request).request_status().code(), nv::INVALID_ARG);
  request = Request();
  request.clear_raw_input();
  EXPECT_EQ(Ask<nv::InferResponse>("Infer", request).request_status().code(), nv::INTERNAL);
  EXPECT_EQ(dispatcher_.models["m"]->refused, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(Ask<nv::InferResponse>("Infer", Request()).request_status().code(), nv::SUCCESS);
  EXPECT_EQ(dispatcher_.models["m"]->refused.size(), 2u);
}

TEST_F(TrtisServiceTest, AServerThatIsAboutToEndSaysSo) {
  draining_ = true;
  nv::HealthRequest live;
  live.set_mode("live");
  EXPECT_EQ(Ask<nv::HealthResponse>("Health", live).request_status().msg(), "Server exiting");
  EXPECT_EQ(Ask<nv::StatusResponse>("Status", nv::StatusRequest()).request_status().code(), nv::UNAVAILABLE);
  EXPECT_EQ(Ask<nv::ProfileResponse>("Profile", nv::ProfileRequest()).request_status().code(), nv::UNAVAILABLE);
  EXPECT_EQ(Ask<nv::InferResponse>("Infer", Request()).request_status().code(), nv::SUCCESS);
}

TEST_F(TrtisServiceTest, AModelIsLoadedForTheCallThatNeedsIt) {
  dispatcher_.on_demand = true;
  auto model = dispatcher_.models.extract("m");
  const auto call = Open("Infer");
  call->Unary(Request().SerializeAsString());
  Settle();
  ASSERT_EQ(dispatcher_.demands.size(), 1u);
  dispatcher_.demands[0].done({.status = {}, .model = model.mapped(), .retry_after_ms = 0});
  Settle();
  EXPECT_EQ(ResponseOf<nv::InferResponse>(*call).request_status().request_id(), 1u);
}

TEST_F(TrtisServiceTest, StatusesAndHealthAreCounted) {
  nv::HealthRequest ready;
  ready.set_mode("ready");
  EXPECT_TRUE(Ask<nv::HealthResponse>("Health", ready).health());
  catalog_.ready = false;
  EXPECT_FALSE(Ask<nv::HealthResponse>("Health", ready).health());
  const auto answer = Ask<nv::StatusResponse>("Status", nv::StatusRequest());
  EXPECT_EQ(answer.request_status().request_id(), 3u);
  EXPECT_EQ(answer.server_status().health_stats().success().count(), 2u);
  EXPECT_FALSE(answer.server_status().has_status_stats());
  EXPECT_EQ(answer.server_status().model_status_size(), 2);  // the fake's "a" and "b"
}

TEST_F(TrtisServiceTest, TheStreamIsRefused) {
  const auto call = Open("InferStream");
  call->Unary(nv::InferRequestStream().SerializeAsString());
  Settle();
  EXPECT_EQ(call->status(), "12");
}

}  // namespace
}  // namespace inferd::trtis_grpc
