#include "net/compression/content_coding.h"

#include <gtest/gtest.h>

namespace inferd::net {
namespace {

TEST(ContentCodingTest, ParsesOneCoding) {
  EXPECT_EQ(ParseContentCoding(""), ContentCoding::kIdentity);
  EXPECT_EQ(ParseContentCoding(" Identity "), ContentCoding::kIdentity);
  EXPECT_EQ(ParseContentCoding("GZIP"), ContentCoding::kGzip);
  EXPECT_EQ(ParseContentCoding("x-gzip"), ContentCoding::kGzip);
  EXPECT_EQ(ParseContentCoding("deflate"), ContentCoding::kDeflate);
}

TEST(ContentCodingTest, RefusesWhatIsNotSpoken) {
  for (const char* value : {"br", "gzip, deflate", "gzip;q=1", "zstd", "gzi", "gzipp"}) {
    EXPECT_EQ(ParseContentCoding(value), std::nullopt) << value;
  }
}

TEST(ContentCodingTest, NamesRoundTrip) {
  for (const auto coding : {ContentCoding::kIdentity, ContentCoding::kGzip, ContentCoding::kDeflate}) {
    EXPECT_EQ(ParseContentCoding(ContentCodingName(coding)), coding);
  }
}

TEST(ContentCodingTest, Negotiates) {
  const struct {
    const char* accept;
    ContentCoding chosen;
  } kCases[] = {
      {"", ContentCoding::kIdentity},
      {"identity", ContentCoding::kIdentity},
      {"br", ContentCoding::kIdentity},
      {"gzip", ContentCoding::kGzip},
      {"gzip, deflate", ContentCoding::kGzip},
      {"deflate, gzip", ContentCoding::kGzip},
      {"gzip;q=0.5, deflate", ContentCoding::kDeflate},
      {"gzip;q=0, deflate;q=0", ContentCoding::kIdentity},
      {"gzip;q=0.4, identity;q=0.5", ContentCoding::kIdentity},
      {"gzip ; q=0.501 , deflate;Q=0.5", ContentCoding::kGzip},
      {"*", ContentCoding::kGzip},
      {"*, gzip;q=0", ContentCoding::kDeflate},
      {"*;q=0", ContentCoding::kIdentity},
      {"identity;q=0", ContentCoding::kIdentity},
      {"gzip;q=1.001", ContentCoding::kIdentity},
      {"gzip;q=abc", ContentCoding::kIdentity},
      {"gzip;level=9", ContentCoding::kIdentity},
      {",,gzip,", ContentCoding::kGzip},
  };
  for (const auto& c : kCases) EXPECT_EQ(NegotiateContentCoding(c.accept), c.chosen) << c.accept;
}

}  // namespace
}  // namespace inferd::net
