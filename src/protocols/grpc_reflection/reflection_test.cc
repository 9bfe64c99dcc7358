#include "protocols/grpc_reflection/reflection.h"

#include <gtest/gtest.h>

#include "net/grpc/fake_call.h"
#include "reflection/reflection.pb.h"

namespace inferd::grpc_reflection {
namespace {

using ::grpc::reflection::v1::ServerReflectionRequest;
using ::grpc::reflection::v1::ServerReflectionResponse;
using net::grpc::FakeCall;

class ReflectionTest : public ::testing::TestWithParam<const char*> {
 protected:
  ReflectionTest() { server_.Serve(Methods({"a.Service"})); }

  static std::string path() {
    return std::string("/grpc.reflection.") + GetParam() + ".ServerReflection/ServerReflectionInfo";
  }
  static std::string AskingForServices() {
    ServerReflectionRequest request;
    request.set_list_services("");
    return request.SerializeAsString();
  }
  static ServerReflectionResponse Response(const std::string& message) {
    ServerReflectionResponse response;
    EXPECT_TRUE(response.ParseFromString(message.substr(2)));
    return response;
  }

  net::grpc::FakeServer server_;
};

INSTANTIATE_TEST_SUITE_P(Versions, ReflectionTest, ::testing::Values("v1", "v1alpha"),
                         [](const auto& version) { return std::string(version.param); });

TEST_P(ReflectionTest, AnswersEachQuestionUntilTheLast) {
  FakeCall call(server_, path());
  ServerReflectionRequest request;
  request.set_file_containing_symbol(std::string("grpc.reflection.") + GetParam() + ".ErrorResponse");
  call.Message(request.SerializeAsString());
  request.set_file_containing_symbol("nothing");
  call.Message(request.SerializeAsString());
  EXPECT_FALSE(call.ended);
  call.End();
  EXPECT_EQ(call.status(), "0");
  const auto messages = call.Messages();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(Response(messages[0]).file_descriptor_response().file_descriptor_proto_size(), 1);
  EXPECT_EQ(Response(messages[1]).error_response().error_code(), 5);
}

TEST_P(ReflectionTest, ListsItselfToo) {
  FakeCall call(server_, path());
  call.Message(AskingForServices()).End();
  ASSERT_EQ(call.Messages().size(), 1u);
  const ServerReflectionResponse response = Response(call.Messages()[0]);
  std::vector<std::string> names;
  for (const auto& service : response.list_services_response().service()) names.push_back(service.name());
  EXPECT_EQ(names, (std::vector<std::string>{"a.Service", "grpc.reflection.v1.ServerReflection",
                                             "grpc.reflection.v1alpha.ServerReflection"}));
}

TEST_P(ReflectionTest, WhatIsNoRequestEndsTheCall) {
  FakeCall call(server_, path());
  call.Message("\x0a\x05no");
  EXPECT_EQ(call.status(), "3");
}

TEST_P(ReflectionTest, AClientThatDoesNotReadIsNotRead) {
  FakeCall call(server_, path());
  call.window_open = false;
  call.Message(AskingForServices());
  EXPECT_TRUE(call.paused);
  call.window_open = true;
  ASSERT_TRUE(call.writable);
  std::exchange(call.writable, {})();
  server_.loop.RunPosted();
  EXPECT_FALSE(call.paused);
  call.Message(AskingForServices()).End();
  EXPECT_EQ(call.Messages().size(), 2u);
  EXPECT_EQ(call.status(), "0");
}

}  // namespace
}  // namespace inferd::grpc_reflection
