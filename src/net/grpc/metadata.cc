#include "net/grpc/metadata.h"

#include <array>
#include <utility>

#include "net/ascii.h"

namespace inferd::net::grpc {

namespace {

constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> kDigitValues = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (size_t i = 0; i < kBase64Digits.size(); ++i) {
    values[static_cast<unsigned char>(kBase64Digits[i])] = static_cast<uint8_t>(i);
  }
  return values;
}();

uint8_t ValueOf(char digit) { return kDigitValues[static_cast<unsigned char>(digit)]; }

// The digits without their padding; nullopt: a wrong amount of it.
std::optional<std::string_view> WithoutPadding(std::string_view text) {
  if (text.ends_with('=')) {
    if (text.size() % 4 != 0) return std::nullopt;
    text.remove_suffix(text.ends_with("==") ? 2 : 1);
  }
  if (text.size() % 4 == 1) return std::nullopt;  // ends inside a byte
  return text;
}

}  // namespace

bool IsBinaryName(std::string_view name) {
  constexpr std::string_view kSuffix = "-bin";
  return name.size() > kSuffix.size() && EqualsIgnoringCase(name.substr(name.size() - kSuffix.size()), kSuffix);
}

bool IsBase64(std::string_view text) {
  const auto digits = WithoutPadding(text);
  if (!digits.has_value()) return false;
  for (const char c : *digits) {
    if (ValueOf(c) == kNoDigit) return false;
  }
  return true;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  const auto digits = WithoutPadding(text);
  if (!digits.has_value()) return std::nullopt;
  std::string bytes;
  bytes.reserve(digits->size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : *digits) {
    if (ValueOf(c) == kNoDigit) return std::nullopt;
    bits = (bits << 6 | ValueOf(c)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 4);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = (bits << 8 | static_cast<unsigned char>(c)) & 0xffff;
    count += 8;
    for (; count >= 6; count -= 6) text += kBase64Digits[bits >> (count - 6) & 0x3f];
  }
  if (count > 0) text += kBase64Digits[bits << (6 - count) & 0x3f];
  return text;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  std::string out;
  size_t whole = 0;  // where the last character in `out` ends
  for (const char c : text) {
    if (!continues(c)) whole = out.size();
    const bool plain = c >= ' ' && c <= '~' && c != '%';
    if (out.size() + (plain ? 1 : 3) > kStatusMessageBytesMax) {
      out.resize(whole);
      return out;
    }
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 0xf]};
    }
  }
  return out;
}

void AppendStatus(const base::Status& status, std::string_view details, Trailers& out) {
  out.emplace_back("grpc-status", std::to_string(static_cast<int>(status.code())));
  if (!status.message().empty()) out.emplace_back("grpc-message", PercentEncode(status.message()));
  if (!details.empty()) out.emplace_back("grpc-status-details-bin", EncodeBase64(details));
}

}  // namespace inferd::net::grpc
