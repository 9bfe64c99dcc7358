#include "protocols/trtis/request_status.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "trtis/request_status.pb.h"

namespace inferd::trtis {
namespace {

namespace nv = nvidia::inferenceserver;

TEST(RequestStatusTest, IsOneLineOfText) {
  EXPECT_EQ(StatusText({.server_id = "inference:0", .request_id = 7}),
            R"(code: SUCCESS server_id: "inference:0" request_id: 7)");
  EXPECT_EQ(StatusText({.code = Code::kNotFound, .message = "no status available for unknown model 'x'"}),
            R"(code: NOT_FOUND msg: "no status available for unknown model \'x\'")");
  EXPECT_EQ(StatusText({}), "code: SUCCESS");
}

TEST(RequestStatusTest, NoByteOfAMessageLeavesTheLine) {
  std::string every;
  for (int c = 0; c < 256; ++c) every.push_back(static_cast<char>(c));
  const std::string text = StatusText({.code = Code::kInternal, .message = every, .server_id = every});
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; })) << text;
  nv::RequestStatus status;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &status));
  EXPECT_EQ(status.msg(), every);
}

TEST(RequestStatusTest, IsAMessage) {
  nv::RequestStatus status;
  ASSERT_TRUE(status.ParseFromString(StatusMessage(
      {.code = Code::kUnsupported, .message = "no \xff", .server_id = "s", .request_id = uint64_t{1} << 63})));
  EXPECT_EQ(status.code(), nv::UNSUPPORTED);
  EXPECT_EQ(status.msg(), "no \xef\xbf\xbd");
  EXPECT_EQ(status.server_id(), "s");
  EXPECT_EQ(status.request_id(), uint64_t{1} << 63);
}

TEST(RequestStatusTest, LongMessagesAreCut) {
  EXPECT_LT(StatusText({.code = Code::kInternal, .message = std::string(1 << 20, 'x')}).size(), 2000u);
}

TEST(RequestStatusTest, EveryCodeHasTheMessagesNameAndNumber) {
  for (int number = nv::RequestStatusCode_MIN; number <= nv::RequestStatusCode_MAX; ++number) {
    EXPECT_EQ(CodeName(static_cast<Code>(number)),
              nv::RequestStatusCode_Name(static_cast<nv::RequestStatusCode>(number)));
  }
  for (int code = 0; code <= 16; ++code) {
    EXPECT_EQ(CodeOf(static_cast<base::StatusCode>(code)) == Code::kSuccess, code == 0);
    EXPECT_NE(CodeOf(static_cast<base::StatusCode>(code)), Code::kInvalid);
  }
}

}  // namespace
}  // namespace inferd::trtis
