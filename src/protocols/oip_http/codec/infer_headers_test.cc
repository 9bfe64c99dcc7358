#include "protocols/oip_http/codec/infer_headers.h"

#include <gtest/gtest.h>

namespace inferd::oip_http {
namespace {

using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

net::RequestHead Head(const Headers& headers, std::optional<uint64_t> content_length = std::nullopt) {
  net::RequestHead head;
  head.content_length = content_length;
  for (const auto& header : headers) head.headers.push_back(header);
  return head;
}

std::string Error(const net::RequestHead& head, bool* unknown_coding = nullptr) {
  bool unknown = false;
  const auto headers = ReadInferHeaders(head, unknown_coding == nullptr ? unknown : *unknown_coding);
  return headers.has_value() ? "no error" : headers.error().message();
}

TEST(ReadInferHeadersTest, ReadsThem) {
  bool unknown_coding = true;
  const auto headers = ReadInferHeaders(
      Head({{"INFERENCE-HEADER-CONTENT-LENGTH", "12"}, {"content-encoding", "GZIP"}, {"accept-encoding", "deflate"}}),
      unknown_coding);
  ASSERT_TRUE(headers.has_value());
  EXPECT_FALSE(unknown_coding);
  EXPECT_EQ(headers->json_bytes, 12u);
  EXPECT_EQ(headers->coding, net::ContentCoding::kGzip);
  EXPECT_EQ(headers->answer, net::ContentCoding::kDeflate);
}

TEST(ReadInferHeadersTest, TheJsonEndsInsideTheBody) {
  const Headers twelve = {{"Inference-Header-Content-Length", "12"}};
  EXPECT_EQ(Error(Head(twelve, 12)), "no error");
  EXPECT_EQ(Error(Head(twelve)), "no error") << "chunked: known later";
  EXPECT_EQ(Error(Head(twelve, 11)), "inference header size should be in range (0, 11), got: 12");
  EXPECT_EQ(Error(Head({{"Inference-Header-Content-Length", "12"}, {"Content-Encoding", "gzip"}}, 11)), "no error");
}

TEST(ReadInferHeadersTest, OnlyDigitsAreANumber) {
  for (const char* value : {"", " 1", "+1", "-1", "1.0", "0x1", "1,2", "18446744073709551616"}) {
    EXPECT_NE(Error(Head({{"Inference-Header-Content-Length", value}})), "no error") << value;
  }
}

TEST(ReadInferHeadersTest, UnknownCodingsAreToldApart) {
  bool unknown_coding = false;
  EXPECT_NE(Error(Head({{"Content-Encoding", "gzip, br"}}), &unknown_coding), "no error");
  EXPECT_TRUE(unknown_coding);
}

TEST(CheckInputSizeTest, NamesTheSizesAndTheOption) {
  EXPECT_TRUE(CheckInputSize(1'000, 0, false, "--o").ok()) << "no limit";
  EXPECT_TRUE(CheckInputSize(10, 10, false, "--o").ok());
  EXPECT_EQ(
      CheckInputSize(11, 10, false, "--o"),
      base::InvalidArgument("request JSON size of 11 bytes exceeds the maximum allowed input size of 10 bytes. Use "
                            "--o to increase the limit."));
  EXPECT_EQ(CheckInputSize(11, 10, true, "--o"),
            base::InvalidArgument("Raw input has a byte_size (11 bytes) that exceeds the maximum allowed value of 10 "
                                  "bytes. Use --o to increase the limit."));
}

}  // namespace
}  // namespace inferd::oip_http
