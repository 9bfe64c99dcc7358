#include "net/http/target.h"

#include <gtest/gtest.h>

namespace inferd::net {
namespace {

using Segments = std::vector<std::string>;

Segments Split(std::string_view target) {
  RequestHead head;
  const base::Status status = ParseTarget(target, head);
  EXPECT_TRUE(status.ok()) << target << ": " << status.message();
  return {head.segments.begin(), head.segments.end()};
}

TEST(TargetTest, SplitsAndDecodesEachSegment) {
  EXPECT_EQ(Split("/v2/models/a%20b"), (Segments{"v2", "models", "a b"}));
  EXPECT_EQ(Split("/v2/models/a%2Fb/infer"), (Segments{"v2", "models", "a/b", "infer"}));
  EXPECT_EQ(Split("/%e4%BD%a0"), (Segments{"\xe4\xbd\xa0"}));
  EXPECT_EQ(Split("/"), Segments{});
  EXPECT_EQ(Split("*"), Segments{});
  EXPECT_EQ(Split("/v2/"), (Segments{"v2", ""}));
  EXPECT_EQ(Split("//v2"), (Segments{"", "v2"}));
  EXPECT_EQ(Split("/a+b"), (Segments{"a+b"}));
  EXPECT_EQ(Split("/..."), (Segments{"..."}));
}

TEST(TargetTest, KeepsTheQueryUndecoded) {
  RequestHead head;
  ASSERT_TRUE(ParseTarget("/v2?a=%20/..&b", head).ok());
  ASSERT_EQ(head.segments.size(), 1u);
  EXPECT_EQ(head.segments[0], "v2");
  EXPECT_EQ(head.query, "a=%20/..&b");
  EXPECT_EQ(head.target, "/v2?a=%20/..&b");
}

TEST(TargetTest, TakesTheAbsoluteForm) {
  EXPECT_EQ(Split("http://host:8000/v2/health"), (Segments{"v2", "health"}));
  EXPECT_EQ(Split("https://host"), Segments{});
  RequestHead head;
  ASSERT_TRUE(ParseTarget("http://host?x", head).ok());
  EXPECT_EQ(head.query, "x");
  EXPECT_EQ(head.target, "/?x");
  EXPECT_EQ(head.Find("Host"), "host");
  head = RequestHead();
  ASSERT_TRUE(ParseTarget("HTTP://host:8000/a%20b?x", head).ok());
  EXPECT_EQ(head.target, "/a%20b?x");
  EXPECT_EQ(head.Find("Host"), "host:8000");
  // Over HTTP/2 the host has a field of its own.
  head = RequestHead();
  head.http2 = true;
  EXPECT_EQ(ParseTarget("http://host/v2", head).code(), base::StatusCode::kInvalidArgument);
}

TEST(TargetTest, RefusesWhatIsNoPath) {
  for (const char* target :
       {"/a%00b", "/%00", "/../etc/passwd", "/a/%2e%2E/b", "/a/..", "/.", "/a/./b", "/%", "/%4", "/%4g", "/%zz", "v2",
        "", "host:80", "ftp://host/a", "http://", "http:///a", "http://a b/"}) {
    RequestHead head;
    EXPECT_EQ(ParseTarget(target, head).code(), base::StatusCode::kInvalidArgument) << target;
  }
}

TEST(TargetTest, KnowsMethodsByTheirExactName) {
  EXPECT_EQ(MethodOf("GET"), Method::kGet);
  EXPECT_EQ(MethodOf("OPTIONS"), Method::kOptions);
  EXPECT_EQ(MethodOf("get"), Method::kOther);
  EXPECT_EQ(MethodOf("BREW"), Method::kOther);
}

// RFC 9112, 3.2.
TEST(TargetTest, AFragmentIsAnError) {
  RequestHead head;
  for (const char* target : {"/v2#x", "/v2?a#x", "/#", "http://h/v2#x"}) {
    EXPECT_EQ(ParseTarget(target, head).code(), base::StatusCode::kInvalidArgument) << target;
  }
  EXPECT_TRUE(ParseTarget("/v2%23x", head).ok());
}

}  // namespace
}  // namespace inferd::net
