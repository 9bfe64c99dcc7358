#include "protocols/oip_grpc/codec/message_outline.h"

#include <gtest/gtest.h>

#include "oip/grpc_service.pb.h"

namespace inferd::oip_grpc {
namespace {

inference::ModelInferRequest Request() {
  inference::ModelInferRequest request;
  request.set_model_name("m");
  request.set_model_version("3");
  request.set_id("seven");
  request.add_inputs()->mutable_contents()->add_int_contents(5);
  request.add_raw_input_contents("12345");
  request.add_raw_input_contents("678");
  return request;
}

TEST(ReadOutlineTest, ModelIdAndRawBytes) {
  const std::string message = Request().SerializeAsString();
  EXPECT_EQ(ReadOutline(message).model_name, "m");
  EXPECT_EQ(ReadOutline(message).model_version, "3");
  EXPECT_EQ(ReadOutline(message).id, "seven");
  EXPECT_EQ(ReadOutline(message).raw_bytes, 8u);
  EXPECT_EQ(ReadOutline("").id, "");
  EXPECT_EQ(ReadOutline("").raw_bytes, 0u);
}

TEST(ReadOutlineTest, TheLastIdWins) {
  inference::ModelInferRequest second;
  second.set_id("eight");
  const std::string message = Request().SerializeAsString() + second.SerializeAsString();
  EXPECT_EQ(ReadOutline(message).id, "eight");
}

TEST(ReadOutlineTest, MalformedMessagesShowWhatStandsBefore) {
  const std::string message = Request().SerializeAsString();
  for (size_t size = 0; size < message.size(); ++size) {
    const MessageOutline outline = ReadOutline(std::string_view(message).substr(0, size));
    EXPECT_TRUE(outline.id.empty() || outline.id == "seven") << size;
    EXPECT_LE(outline.raw_bytes, 8u);
  }
  EXPECT_EQ(ReadOutline("\x1a\x02\xff\xfe").id, "") << "no UTF-8";
  EXPECT_EQ(ReadOutline("\x1a\x05"
                        "seven"
                        "\xff\xff")
                .id,
            "seven");
}

}  // namespace
}  // namespace inferd::oip_grpc
