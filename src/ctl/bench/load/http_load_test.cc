#include "ctl/bench/load/http_load.h"

#include <gtest/gtest.h>

namespace inferd::ctl {
namespace {

using State = LoadProtocol::State;

class HttpLoadTest : public ::testing::Test {
 protected:
  HttpLoadTest()
      : protocol_(HttpLoad(net::ParseUrl("http://h:1").value(), {.method = "POST", .path = "/p", .body = "xy"})()) {}

  State Read(std::string_view data) { return protocol_->Read(data, answers_); }

  std::unique_ptr<LoadProtocol> protocol_;
  std::vector<LoadProtocol::Answer> answers_;
};

TEST(SerializeRequestTest, WritesAWholeRequest) {
  const net::Url url = net::ParseUrl("http://h:1/base").value();
  EXPECT_EQ(SerializeRequest(url, {.path = "/p", .headers = {{"A", "b"}}}),
            "GET /base/p HTTP/1.1\r\nHost: h:1\r\nA: b\r\n\r\n");
  EXPECT_EQ(SerializeRequest(url, {.method = "POST", .path = "/p", .body = "xy"}),
            "POST /base/p HTTP/1.1\r\nHost: h:1\r\nContent-Length: 2\r\n\r\nxy");
}

TEST_F(HttpLoadTest, WritesTheRequestOncePerCall) {
  EXPECT_EQ(protocol_->Output(), "");
  protocol_->Begin(0);
  const std::string request(protocol_->Output());
  EXPECT_TRUE(request.ends_with("\r\n\r\nxy")) << request;
  protocol_->Sent(5);
  EXPECT_EQ(protocol_->Output(), request.substr(5));
  protocol_->Sent(request.size() - 5);
  EXPECT_EQ(protocol_->Output(), "");
}

TEST_F(HttpLoadTest, AnAnswerEndsTheCallThatWasBegun) {
  protocol_->Begin(3);
  EXPECT_EQ(Read("HTTP/1.1 200 OK\r\nContent-Le"), State::kOpen);
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(Read("ngth: 2\r\n\r\nok"), State::kOpen);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].call, 3u);
  EXPECT_EQ(answers_[0].error, "");
}

TEST_F(HttpLoadTest, AnotherStatusIsAnErrorAndCloseIsTheEnd) {
  protocol_->Begin(0);
  EXPECT_EQ(Read("HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfull"), State::kDone);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].error, "HTTP 503: full");
}

TEST_F(HttpLoadTest, WhatNobodyAskedForBreaksTheConnection) {
  EXPECT_EQ(Read("HTTP/1.1 200 OK\r\n"), State::kBroken);
  EXPECT_EQ(protocol_->error(), "the server sent more than one answer");
  protocol_->Begin(0);
  EXPECT_EQ(Read("220 mail.example ESMTP\r\n\r\n"), State::kBroken);
  EXPECT_EQ(protocol_->error(), "the answer is not HTTP/1.1");
}

}  // namespace
}  // namespace inferd::ctl
