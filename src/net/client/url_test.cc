#include "net/client/url.h"

#include <gtest/gtest.h>

namespace inferd::net {
namespace {

TEST(UrlTest, ParsesItsParts) {
  const Url url = ParseUrl("https://host.example:8443/base/").value();
  EXPECT_TRUE(url.tls);
  EXPECT_EQ(url.host, "host.example");
  EXPECT_EQ(url.port, 8443);
  EXPECT_EQ(url.path, "/base");
  EXPECT_EQ(url.ToString(), "https://host.example:8443/base");
}

TEST(UrlTest, FillsInWhatIsLeftOut) {
  EXPECT_EQ(ParseUrl("localhost:8000").value().ToString(), "http://localhost:8000");
  EXPECT_EQ(ParseUrl("http://h").value().port, 80);
  EXPECT_EQ(ParseUrl("https://h").value().port, 443);
  EXPECT_EQ(ParseUrl("http://[::1]").value().Authority(), "[::1]:80");
  EXPECT_EQ(ParseUrl("[::1]:9/").value().Authority(), "[::1]:9");
}

TEST(UrlTest, SaysWhatIsWrong) {
  for (const char* text : {"", "ftp://h", "http://", "http://:80", "h:0", "h:65536", "h:8x", "h:", "[::1", "[::1]x",
                           "u@h", "h/?q", "h h"}) {
    const auto url = ParseUrl(text);
    ASSERT_FALSE(url.has_value()) << text;
    EXPECT_EQ(url.error().code(), base::StatusCode::kInvalidArgument);
  }
}

TEST(UrlTest, AnErrorShowsNoPasswordAndNoParameters) {
  EXPECT_TRUE(ParseUrl("http://me:secret@h:80/p?token=secret").error().message().starts_with("'http://h:80/p?...' "));
  EXPECT_TRUE(ParseUrl("me:secret@h").error().message().starts_with("'h' "));
}

}  // namespace
}  // namespace inferd::net
