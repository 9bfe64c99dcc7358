#include "net/http/http.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::net {
namespace {

TEST(HttpTest, FindsTheFirstHeaderWhateverItsCase) {
  RequestHead head;
  head.headers = {{"Content-Type", "a"}, {"content-type", "b"}};
  EXPECT_EQ(head.Find("CONTENT-TYPE"), "a");
  EXPECT_EQ(head.Find("Content"), std::nullopt);
}

TEST(HttpTest, RequestIdsArePrintableAndShort) {
  for (const std::string& text : {std::string("1"), std::string("0af7651916cd43dd8448eb211c80319c"),
                                  std::string("a/b:c,\"~"), std::string(128, 'x')}) {
    EXPECT_TRUE(IsRequestId(text)) << text;
  }
  for (const std::string& text : {std::string(), std::string("a b"), std::string("a\tb"), std::string("\xc3\xbc"),
                                  std::string("a\x7f"), std::string("a\0", 2), std::string(129, 'x')}) {
    EXPECT_FALSE(IsRequestId(text)) << text;
  }
}

TEST(HttpTest, TheFirstRequestIdThatCanBeTakenCounts) {
  RequestHead head;
  for (const char* value : {"a b", "one", "two"}) head.TakeRequestId(value);
  EXPECT_EQ(head.request_id, "one");
}

TEST(HttpTest, TextMakesAWholeResponse) {
  const HttpResponse response = HttpResponse::Text(404, "application/json", "{}");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_TRUE(response.headers.empty());
  ASSERT_EQ(response.body.size(), 1u);
  EXPECT_EQ(response.body[0].view(), "{}");
  EXPECT_TRUE(HttpResponse::Text(200, "", "").body.empty());
}

}  // namespace
}  // namespace inferd::net
