#include "serving/worker/control/call_message.h"

#include <gtest/gtest.h>

namespace inferd::worker {
namespace {

ServerOrder MakeCall() {
  CallOrder call{.origin = {.model = "caller", .version = 3, .channel = 4, .execution = 5, .request = 6},
                 .request = std::make_unique<core::InferRequest>(),
                 .many = true};
  call.request->model_name = "m";
  call.request->parameters = {{"p", true}};
  call.request->sequence.id = std::string("s");
  call.request->timeout_us = 7;
  call.request->inputs.push_back({.name = "x",
                                  .datatype = tensor::DataType::kInt32,
                                  .shape = tensor::Shape{1},
                                  .data = base::BufferSlice(base::Buffer::CopyOf("abcd")),
                                  .parameters = {}});
  call.request->outputs.push_back({.name = "y"});
  return {.number = 2, .order = std::move(call)};
}

TEST(CallMessageTest, WhatIsOrderedIsRead) {
  const auto read = DecodeServerOrder(EncodeServerOrder(MakeCall()));
  ASSERT_TRUE(read.has_value());
  const auto& call = std::get<CallOrder>(read->order);
  EXPECT_EQ(read->number, 2u);
  EXPECT_EQ(call.origin.model, "caller");
  EXPECT_EQ(call.origin.channel, 4u);
  EXPECT_EQ(call.origin.execution, 5u);
  EXPECT_EQ(call.origin.request, 6u);
  EXPECT_TRUE(call.many);
  EXPECT_EQ(call.request->timeout_us, 7u);
  EXPECT_EQ(std::get<std::string>(call.request->sequence.id), "s");
  EXPECT_EQ(call.request->inputs[0].data.size(), 4u);
  EXPECT_EQ(call.request->outputs[0].name, "y");
}

TEST(CallMessageTest, MetricsAndLoadsToo) {
  const ServerOrder metric{
      .number = 1, .order = OpenMetricOrder{{.name = "n", .series = true, .labels = {{"a", "b"}}, .bounds = {1, 2}}}};
  const auto opened = DecodeServerOrder(EncodeServerOrder(metric));
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(std::get<OpenMetricOrder>(opened->order).spec.bounds, (std::vector<double>{1, 2}));
  const ServerOrder load{.number = 1,
                         .order = core::LoadCall{.model = "m", .config_json = "{}", .files = {{"1/f", "x"}}}};
  const auto loaded = DecodeServerOrder(EncodeServerOrder(load));
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(std::get<core::LoadCall>(loaded->order).files[0].second, "x");
}

// The worker may be broken: every prefix of a message is refused, and a changed byte does no harm.
TEST(CallMessageTest, WhatIsCutOrBentIsNoHarm) {
  const std::string order = EncodeServerOrder(MakeCall());
  for (size_t size = 0; size < order.size(); ++size) EXPECT_FALSE(DecodeServerOrder(order.substr(0, size)).has_value());
  for (size_t at = 0; at < order.size(); ++at) {
    std::string bent = order;
    bent[at] = static_cast<char>(0xff);
    static_cast<void>(DecodeServerOrder(bent));
  }
  const std::string reply = EncodeServerReply(
      {.number = 1, .submitted = false, .response = {.status = base::NotFound("none"), .final = false}});
  const auto read = DecodeServerReply(reply);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->response.status.code(), base::StatusCode::kNotFound);
  EXPECT_FALSE(read->response.final);
  for (size_t size = 0; size < reply.size(); ++size) EXPECT_FALSE(DecodeServerReply(reply.substr(0, size)).has_value());
}

}  // namespace
}  // namespace inferd::worker
