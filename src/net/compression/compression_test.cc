#include "net/compression/compression.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace inferd::net {
namespace {

using base::Buffer;
using base::BufferSlice;
using base::StatusCode;

BufferSlice Slice(std::string_view text) { return BufferSlice(Buffer::CopyOf(text)); }

std::string Packed(ContentCoding coding, std::string_view text) {
  const std::vector<BufferSlice> pieces = {Slice(text)};
  return std::string(Compress(coding, pieces).value().view());
}

base::Result<BufferSlice> Unpack(ContentCoding coding, std::string_view packed, DecompressLimits limits = {}) {
  return Decompress(coding, Slice(packed), limits);
}

std::string RandomText(size_t size) {
  std::mt19937 random(7);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

class CompressionTest : public ::testing::TestWithParam<ContentCoding> {};

TEST_P(CompressionTest, RoundTripsWhatIsInPieces) {
  const std::string random = RandomText(300'000);
  const std::vector<BufferSlice> pieces = {Slice("head"), BufferSlice(), Slice(random),
                                           Slice(std::string(200'000, 'x'))};
  const auto packed = Compress(GetParam(), pieces);
  ASSERT_TRUE(packed.has_value());
  const auto unpacked = Decompress(GetParam(), *packed, {});
  ASSERT_TRUE(unpacked.has_value()) << unpacked.error().ToString();
  EXPECT_EQ(unpacked->view(), "head" + random + std::string(200'000, 'x'));
}

TEST_P(CompressionTest, RoundTripsNothing) { EXPECT_EQ(Unpack(GetParam(), Packed(GetParam(), "")).value().view(), ""); }

TEST_P(CompressionTest, AlignsTheByteAskedFor) {
  const std::string text = RandomText(100'000);
  const auto out = Decompress(GetParam(), Slice(Packed(GetParam(), text)), {}, 37);
  ASSERT_TRUE(out.has_value());
  if (GetParam() != ContentCoding::kIdentity) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(out->data() + 37) % base::kBufferAlignment, 0u);
  }
  EXPECT_EQ(out->view(), text);
}

INSTANTIATE_TEST_SUITE_P(Codings, CompressionTest,
                         ::testing::Values(ContentCoding::kIdentity, ContentCoding::kGzip, ContentCoding::kDeflate));

TEST(CompressionTest, ReadsBareDeflate) {
  const std::string zlib = Packed(ContentCoding::kDeflate, "bare bytes");
  const std::string bare = zlib.substr(2, zlib.size() - 6);  // without zlib's header and checksum
  EXPECT_EQ(Unpack(ContentCoding::kDeflate, bare).value().view(), "bare bytes");
}

TEST(CompressionTest, ReadsSeveralGzipMembers) {
  const std::string two = Packed(ContentCoding::kGzip, "one ") + Packed(ContentCoding::kGzip, "two");
  EXPECT_EQ(Unpack(ContentCoding::kGzip, two).value().view(), "one two");
}

TEST(CompressionTest, EveryTruncationIsAnError) {
  for (const auto coding : {ContentCoding::kGzip, ContentCoding::kDeflate}) {
    const std::string packed = Packed(coding, "some text, some more text, and some more");
    for (size_t size = 0; size < packed.size(); ++size) {
      const auto out = Unpack(coding, packed.substr(0, size));
      ASSERT_FALSE(out.has_value()) << size;
      EXPECT_EQ(out.error().code(), StatusCode::kInvalidArgument) << size;
    }
  }
}

TEST(CompressionTest, CorruptBytesAreAnError) {
  std::string packed = Packed(ContentCoding::kGzip, RandomText(1000));
  packed[packed.size() / 2] ^= 0x55;  // the checksum no longer holds
  EXPECT_EQ(Unpack(ContentCoding::kGzip, packed).error().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Unpack(ContentCoding::kGzip, "{\"inputs\":[]}").error().code(), StatusCode::kInvalidArgument);
}

TEST(CompressionTest, BytesBehindTheDataAreAnError) {
  for (const auto coding : {ContentCoding::kGzip, ContentCoding::kDeflate}) {
    const auto out = Unpack(coding, Packed(coding, "text") + "garbage");
    ASSERT_FALSE(out.has_value());
    EXPECT_EQ(out.error().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(out.error().message().find("other bytes follow"), std::string::npos) << out.error().message();
  }
}

TEST(CompressionTest, ABombIsStoppedByItsRatio) {
  const std::string bomb = Packed(ContentCoding::kGzip, std::string(8 << 20, '\0'));
  EXPECT_LT(bomb.size() * 100, 8u << 20);
  const auto out = Unpack(ContentCoding::kGzip, bomb);
  ASSERT_FALSE(out.has_value());
  EXPECT_EQ(out.error().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(out.error().message(), "the gzip body of " + std::to_string(bomb.size()) + " bytes decodes to more than " +
                                       std::to_string(bomb.size() * 100) +
                                       " bytes, the most that --decompression-ratio-max 100 allows");
  EXPECT_TRUE(Unpack(ContentCoding::kGzip, bomb, {.ratio_max = 2000}).has_value());
}

TEST(CompressionTest, ManyMembersShareOneLimit) {
  std::string bomb;
  for (int i = 0; i < 100; ++i) bomb += Packed(ContentCoding::kGzip, std::string(60'000, '\0'));
  EXPECT_EQ(Unpack(ContentCoding::kGzip, bomb).error().code(), StatusCode::kResourceExhausted);
}

TEST(CompressionTest, TheSizeLimitIsExact) {
  const std::string text = RandomText(50'000);
  for (const auto coding : {ContentCoding::kGzip, ContentCoding::kDeflate}) {
    const std::string packed = Packed(coding, text);
    EXPECT_EQ(Unpack(coding, packed, {.bytes_max = text.size()}).value().view(), text);
    const auto larger = Unpack(coding, packed, {.bytes_max = text.size() - 1});
    EXPECT_EQ(larger.error().code(), StatusCode::kResourceExhausted);
    EXPECT_TRUE(larger.error().message().ends_with("decodes to more than 49999 bytes, the most that a body may have"))
        << larger.error().message();
  }
}

TEST(CompressionTest, ALyingLengthInTheTrailerCommitsNoMemory) {
  std::string packed = Packed(ContentCoding::kGzip, "text");
  packed.replace(packed.size() - 4, 4, "\xff\xff\xff\x7f", 4);
  EXPECT_EQ(Unpack(ContentCoding::kGzip, packed).error().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::net
