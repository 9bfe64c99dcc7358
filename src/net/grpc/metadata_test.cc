#include "net/grpc/metadata.h"

#include <gtest/gtest.h>

#include "net/grpc/call_context.h"

namespace inferd::net::grpc {
namespace {

using namespace std::string_literals;

TEST(MetadataTest, Base64GoesBothWays) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("a"), "YQ");
  EXPECT_EQ(EncodeBase64("ab"), "YWI");
  EXPECT_EQ(EncodeBase64("abc"), "YWJj");
  EXPECT_EQ(EncodeBase64("\xff\xfe\xfd"), "//79");
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (size_t size = 0; size < all.size(); ++size) {
    EXPECT_EQ(DecodeBase64(EncodeBase64(all.substr(0, size))), all.substr(0, size));
  }
}

TEST(MetadataTest, PaddingIsTakenWhereItFits) {
  EXPECT_EQ(DecodeBase64("YQ=="), "a");
  EXPECT_EQ(DecodeBase64("YWI="), "ab");
  for (const char* bad : {"Y", "YQ=", "YQ===", "=", "YWJj=", "Y=Q=", "YW-_", "YW Jj", "YQ==YQ=="}) {
    EXPECT_FALSE(DecodeBase64(bad).has_value()) << bad;
  }
}

TEST(MetadataTest, ValuesMayBeJoined) {
  std::string_view joined = "a,\tb ,,c";
  std::vector<std::string> values;
  while (!joined.empty()) values.emplace_back(NextValue(joined));
  EXPECT_EQ(values, (std::vector<std::string>{"a", "b", "", "c"}));
}

TEST(MetadataTest, ABinaryNameEndsInBin) {
  EXPECT_TRUE(IsBinaryName("x-bin"));
  EXPECT_TRUE(IsBinaryName("X-BIN"));
  EXPECT_FALSE(IsBinaryName("-bin"));
  EXPECT_FALSE(IsBinaryName("x-binary"));
}

TEST(MetadataTest, MessagesArePercentEncoded) {
  EXPECT_EQ(PercentEncode("plain ~ text"), "plain ~ text");
  EXPECT_EQ(PercentEncode("\xc3\xa9%\n\x7f"), "%C3%A9%25%0A%7F");
}

TEST(MetadataTest, LongMessagesAreCutBetweenCharacters) {
  std::string text(kStatusMessageBytesMax - 4, 'x');
  EXPECT_EQ(PercentEncode(text + "yyyyyy"), text + "yyyy");
  EXPECT_EQ(PercentEncode(text + "\xc3\xa9"), text);
}

TEST(MetadataTest, AStatusHasWhatItNeeds) {
  Trailers trailers;
  AppendStatus(base::OkStatus(), "", trailers);
  EXPECT_EQ(trailers, (Trailers{{"grpc-status", "0"}}));
  trailers.clear();
  AppendStatus(base::NotFound("no 'm'"), "\1\2"s, trailers);
  EXPECT_EQ(trailers, (Trailers{{"grpc-status", "5"}, {"grpc-message", "no 'm'"}, {"grpc-status-details-bin", "AQI"}}));
}

TEST(CallContextTest, FindsBinaryMetadata) {
  CallContext context;
  context.head.headers.emplace_back("a-bin", "YQ==");
  context.head.headers.emplace_back("b-bin", "YQ,YWI");
  context.head.headers.emplace_back("c-bin", "%");
  context.head.headers.emplace_back("e-bin", " YQ ,YWI");
  context.head.headers.emplace_back("f-bin", "\t");
  EXPECT_EQ(context.FindBinary("a-bin").value(), "a");
  EXPECT_EQ(context.FindBinary("B-bin").value(), "a");
  EXPECT_EQ(context.FindBinary("e-bin").value(), "a");
  EXPECT_EQ(context.FindBinary("f-bin").value(), "");
  EXPECT_EQ(context.FindBinary("d-bin").value(), std::nullopt);
  EXPECT_EQ(context.FindBinary("c-bin").error().code(), base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::net::grpc
