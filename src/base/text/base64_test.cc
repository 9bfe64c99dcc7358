#include "base/text/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::base {
namespace {

std::string Encode(std::string_view bytes) {
  std::string out(Base64Size(bytes.size()), '?');
  EXPECT_EQ(EncodeBase64(bytes, out.data()), out.data() + out.size());
  return out;
}

std::optional<std::string> Decode(std::string_view text) {
  std::string out(text.size(), '?');
  const std::optional<size_t> size = DecodeBase64(text, out.data());
  if (!size) return std::nullopt;
  out.resize(*size);
  return out;
}

// RFC 4648, section 10.
TEST(Base64Test, MatchesTheStandardsVectors) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : vectors) {
    EXPECT_EQ(Encode(plain), coded);
    EXPECT_EQ(Decode(coded), plain);
  }
}

TEST(Base64Test, RoundTripsEveryByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (size_t length = 250; length <= 256; ++length)
    EXPECT_EQ(Decode(Encode(all.substr(0, length))), all.substr(0, length));
}

TEST(Base64Test, RefusesWhatIsNotCanonical) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "=", "Z===", "Zm9v\n", "Zm 9v", "Zm9-",
                           "Zg==Zg==", "Zm=v", "Zm9vZ"}) {
    EXPECT_EQ(Decode(text), std::nullopt) << text;
  }
}

std::optional<std::string> DecodeLenient(std::string text) {
  const std::optional<size_t> size = DecodeLenientBase64(text, text.data());
  if (!size) return std::nullopt;
  text.resize(*size);
  return text;
}

TEST(Base64Test, LenientlyAsAbseil) {
  for (const char* text : {"Zm9vYg==", "Zm9vYg", "Zm9v Yg =\n=", "\tZm9vYh", "Zm9vY g"}) {
    EXPECT_EQ(DecodeLenient(text), "foob") << text;
  }
  EXPECT_EQ(DecodeLenient("Zm9vYmE"), "fooba");
  EXPECT_EQ(DecodeLenient(" "), "");
  for (const char* text : {"Z", "Zg=", "Zg===", "Zm9v=", "=", "Zm9-", "Zg==Zg", "Zm9vZ"}) {
    EXPECT_EQ(DecodeLenient(text), std::nullopt) << text;
  }
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (size_t length = 250; length <= 256; ++length) {
    EXPECT_EQ(DecodeLenient(Encode(all.substr(0, length))), all.substr(0, length));
  }
}

TEST(Base64Test, DecodesInPlace) {
  std::string text = "Zm9vYmE=";
  EXPECT_EQ(DecodeBase64(text, text.data()), 5u);
  EXPECT_EQ(text.substr(0, 5), "fooba");
}

}  // namespace
}  // namespace inferd::base
