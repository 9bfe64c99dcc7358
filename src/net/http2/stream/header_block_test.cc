#include "net/http2/stream/header_block.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace inferd::net::http2 {
namespace {

class HeaderBlockTest : public ::testing::Test {
 protected:
  HeaderBlock::Refusal Finish() { return block_.Finish({.peer = "127.0.0.1:4242", .local = "127.0.0.1:8000"}, true); }

  Limits limits_;
  RequestHead head_;
  HeaderBlock block_{limits_, head_};
};

TEST_F(HeaderBlockTest, MakesAHead) {
  block_.Add(":method", "POST");
  block_.Add(":scheme", "https");
  block_.Add(":path", "/a/b?c=d");
  block_.Add(":authority", "inferd:8001");
  block_.Add("content-length", "42");
  EXPECT_EQ(Finish().status, 0);
  EXPECT_EQ(head_.method, Method::kPost);
  EXPECT_EQ(head_.method_text, "POST");
  EXPECT_EQ(head_.target, "/a/b?c=d");
  EXPECT_EQ(head_.query, "c=d");
  EXPECT_EQ(head_.content_length, 42u);
  EXPECT_EQ(head_.peer, "127.0.0.1:4242");
  EXPECT_EQ(head_.local, "127.0.0.1:8000");
  EXPECT_TRUE(head_.http2);
  EXPECT_TRUE(head_.tls);
  EXPECT_EQ(head_.Find("host"), "inferd:8001");
  EXPECT_EQ(head_.headers.size(), 2u);
}

TEST_F(HeaderBlockTest, KnowsTheRequestsId) {
  block_.Add(":path", "/");
  block_.Add("x-request-id", "7f-1");
  EXPECT_EQ(Finish().status, 0);
  EXPECT_EQ(head_.request_id, "7f-1");
  EXPECT_EQ(head_.Find("X-Request-Id"), "7f-1");
}

// RFC 9113, 8.3.1.
TEST_F(HeaderBlockTest, AHostBesideTheAuthorityIsAnotherTextForIt) {
  block_.Add(":path", "/");
  block_.Add(":authority", "a");
  block_.Add("host", "A:443");
  EXPECT_EQ(Finish().status, 0);
  EXPECT_EQ(head_.Find("host"), "a");
  EXPECT_EQ(head_.headers.size(), 1u);
}

TEST_F(HeaderBlockTest, AnotherHostBesideTheAuthorityIsRefused) {
  block_.Add(":path", "/");
  block_.Add(":authority", "a");
  block_.Add("host", "b");
  EXPECT_EQ(Finish().status, 400);
}

TEST_F(HeaderBlockTest, AHostWithoutAnAuthorityStands) {
  block_.Add(":path", "/");
  block_.Add("host", "b");
  EXPECT_EQ(Finish().status, 0);
  EXPECT_EQ(head_.Find("host"), "b");
}

TEST_F(HeaderBlockTest, TextsStayWhereTheyAreHoweverMany) {
  block_.Add(":path", "/");
  for (int i = 0; i < 100; ++i) block_.Add("x-" + std::to_string(i), std::string(static_cast<size_t>(20 * i), 'v'));
  EXPECT_EQ(Finish().status, 0);
  const std::shared_ptr<const void> store = block_.TakeStore();
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(head_.headers[i].first, "x-" + std::to_string(i));
    EXPECT_EQ(head_.headers[i].second, std::string(20 * i, 'v'));
  }
}

TEST_F(HeaderBlockTest, BeyondALimitNothingIsKept) {
  limits_.header_bytes_max = 100;
  block_.Add(":path", "/");
  block_.Add("x", std::string(50, 'v'));
  block_.Add("y", "");
  EXPECT_EQ(Finish().status, 431);
  EXPECT_TRUE(head_.headers.empty());
}

TEST_F(HeaderBlockTest, FieldsAndTargetHaveLimits) {
  limits_.header_count_max = 2;
  block_.Add(":path", "/");
  block_.Add("x", "");
  block_.Add("y", "");
  EXPECT_EQ(Finish().text, "too many request headers");
  RequestHead long_head;
  HeaderBlock long_target(limits_, long_head);
  long_target.Add(":path", std::string(limits_.target_bytes_max + 1, '/'));
  EXPECT_EQ(long_target.Finish({}, false).status, 414);
}

}  // namespace
}  // namespace inferd::net::http2
