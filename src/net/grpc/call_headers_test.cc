#include "net/grpc/call_headers.h"

#include <gtest/gtest.h>

namespace inferd::net::grpc {
namespace {

RequestHead HeadWith(std::string_view name, std::string_view value) {
  RequestHead head;
  head.headers.emplace_back(name, value);
  return head;
}

TEST(CallHeadersTest, KnowsGrpcByItsContentType) {
  for (const char* type : {"application/grpc", "Application/GRPC", "application/grpc+proto",
                           "application/grpc;charset=x", "application/grpc+proto ; x"}) {
    EXPECT_EQ(ParseContentType(type), Wire::kGrpc) << type;
  }
  for (const char* type : {"application/grpc-web", "application/grpc-web+proto", "application/grpc-web;x"}) {
    EXPECT_EQ(ParseContentType(type), Wire::kWeb) << type;
  }
  for (const char* type : {"application/grpc-web-text", "Application/GRPC-Web-Text+proto"}) {
    EXPECT_EQ(ParseContentType(type), Wire::kWebText) << type;
  }
  for (const char* type : {"", "application/json", "application/grp", "application/grpcx", "application/grpc+json",
                           "application/grpc-web-texts", "application/grpc-text", "application/grpc-web+json"}) {
    EXPECT_EQ(ParseContentType(type), std::nullopt) << type;
  }
}

TEST(CallHeadersTest, ReadsTimeouts) {
  EXPECT_EQ(ParseTimeout("0n"), 0);
  EXPECT_EQ(ParseTimeout("7n"), 7);
  EXPECT_EQ(ParseTimeout("7u"), 7'000);
  EXPECT_EQ(ParseTimeout("00000007m"), 7'000'000);
  EXPECT_EQ(ParseTimeout("7S"), 7'000'000'000);
  EXPECT_EQ(ParseTimeout("7M"), 420'000'000'000);
  EXPECT_EQ(ParseTimeout("1H"), 3'600'000'000'000);
  EXPECT_EQ(ParseTimeout("99999999H"), ParseTimeout("88888888H"));
  for (const char* bad : {"", "S", "1", "100000000S", "-1S", "+1S", "1.5S", "1s", "1 S", "1SS", " 1S"}) {
    EXPECT_EQ(ParseTimeout(bad), std::nullopt) << bad;
  }
}

TEST(CallHeadersTest, ChoosesWhatTheClientTakes) {
  EXPECT_EQ(ChooseCoding(""), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseCoding("identity"), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseCoding("identity, deflate,\tgzip"), ContentCoding::kGzip);
  EXPECT_EQ(ChooseCoding("identity,deflate,snappy"), ContentCoding::kDeflate);
}

TEST(CallHeadersTest, ReadsWhatConcernsIt) {
  RequestHead head;
  head.headers.emplace_back("grpc-timeout", "1m");
  head.headers.emplace_back("grpc-encoding", "deflate");
  head.headers.emplace_back("x-bin", "YQ==, YWI");
  const auto headers = ReadCallHeaders(head);
  ASSERT_TRUE(headers.has_value());
  EXPECT_EQ(headers->timeout_ns, 1'000'000);
  EXPECT_EQ(headers->coding, ContentCoding::kDeflate);
}

TEST(CallHeadersTest, SaysWhatIsWrong) {
  const auto timeout = ReadCallHeaders(HeadWith("grpc-timeout", "1x"));
  EXPECT_EQ(timeout.error(),
            base::InvalidArgument("malformed grpc-timeout '1x': expected 1 to 8 digits and one of HMSmun"));
  const auto binary = ReadCallHeaders(HeadWith("a-bin", "YQ,*"));
  EXPECT_EQ(binary.error(), base::InvalidArgument("metadata 'a-bin' must be base64, as its name ends in -bin"));
  for (const char* coding : {"snappy", "x-gzip", "gzip,deflate"}) {
    const auto encoding = ReadCallHeaders(HeadWith("grpc-encoding", coding));
    ASSERT_FALSE(encoding.has_value()) << coding;
    EXPECT_EQ(encoding.error().code(), base::StatusCode::kUnimplemented);
    EXPECT_NE(encoding.error().message().find("identity,deflate,gzip"), std::string::npos);
  }
}

}  // namespace
}  // namespace inferd::net::grpc
