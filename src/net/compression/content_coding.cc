#include "net/compression/content_coding.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace inferd::net {

namespace {

constexpr int kWeightMax = 1000;  // q=1.000
constexpr int kUnset = -1;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsNoCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The part of `text` before `separator`, which is taken off `text` with it.
std::string_view NextPart(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return Trim(part);
}

// qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] ), in thousandths; kUnset if it is none.
int ParseWeight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return kUnset;
  int weight = (text[0] - '0') * kWeightMax;
  if (text.size() > 1 && text[1] != '.') return kUnset;
  int unit = kWeightMax / 10;
  for (size_t i = 2; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return kUnset;
    weight += (text[i] - '0') * unit;
  }
  return weight <= kWeightMax ? weight : kUnset;
}

}  // namespace

std::string_view ContentCodingName(ContentCoding coding) {
  static constexpr std::array<std::string_view, 3> kNames = {"identity", "gzip", "deflate"};
  return kNames[static_cast<size_t>(coding)];
}

std::optional<ContentCoding> ParseContentCoding(std::string_view content_encoding) {
  const std::string_view name = Trim(content_encoding);
  if (name.empty() || EqualsNoCase(name, "identity")) return ContentCoding::kIdentity;
  if (EqualsNoCase(name, "gzip") || EqualsNoCase(name, "x-gzip")) return ContentCoding::kGzip;
  if (EqualsNoCase(name, "deflate")) return ContentCoding::kDeflate;
  return std::nullopt;
}

ContentCoding NegotiateContentCoding(std::string_view accept_encoding) {
  std::array<int, 3> weights = {kUnset, kUnset, kUnset};  // by ContentCoding
  int any = kUnset;
  while (!accept_encoding.empty()) {
    std::string_view item = NextPart(accept_encoding, ',');
    const std::string_view name = NextPart(item, ';');
    int weight = kWeightMax;
    if (!item.empty()) {
      const std::string_view parameter = NextPart(item, '=');
      weight = EqualsNoCase(parameter, "q") ? ParseWeight(Trim(item)) : kUnset;
      if (weight == kUnset) return ContentCoding::kIdentity;
    }
    if (name == "*") {
      any = weight;
    } else if (const auto coding = ParseContentCoding(name); coding && !name.empty()) {
      weights[static_cast<size_t>(*coding)] = weight;
    }
  }
  // Identity is acceptable unless it is refused, but anything that is asked for goes before it.
  const auto weight_of = [&](ContentCoding coding) {
    const int weight = weights[static_cast<size_t>(coding)];
    return weight == kUnset ? any : weight;
  };
  ContentCoding best = ContentCoding::kIdentity;
  int best_weight = std::max(weights[static_cast<size_t>(ContentCoding::kIdentity)], 0);
  for (const ContentCoding coding : {ContentCoding::kDeflate, ContentCoding::kGzip}) {
    if (const int weight = weight_of(coding); weight > 0 && weight >= best_weight) {
      best = coding;
      best_weight = weight;
    }
  }
  return best;
}

}  // namespace inferd::net
