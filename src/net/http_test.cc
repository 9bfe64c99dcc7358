#include "net/http.h"

#include <gtest/gtest.h>

namespace inferd::net {
namespace {

TEST(HttpTest, FindsTheFirstHeaderWhateverItsCase) {
  RequestHead head;
  head.headers = {{"Content-Type", "a"}, {"content-type", "b"}};
  EXPECT_EQ(head.Find("CONTENT-TYPE"), "a");
  EXPECT_EQ(head.Find("Content"), std::nullopt);
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
