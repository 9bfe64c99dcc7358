#include "net/compression/content_coding.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text/ascii_case.h"
#include "net/http/ascii.h"
#include "net/http/weighted_list.h"

namespace inferd::net {

namespace {

constexpr int kUnset = -1;

}  // namespace

std::string_view ContentCodingName(ContentCoding coding) {
  static constexpr std::array<std::string_view, 3> kNames = {"identity", "gzip", "deflate"};
  return kNames[static_cast<size_t>(coding)];
}

std::optional<ContentCoding> ParseContentCoding(std::string_view content_encoding) {
  const std::string_view name = TrimSpace(content_encoding);
  if (name.empty() || base::EqualWithoutCase(name, "identity")) return ContentCoding::kIdentity;
  if (base::EqualWithoutCase(name, "gzip") || base::EqualWithoutCase(name, "x-gzip")) return ContentCoding::kGzip;
  if (base::EqualWithoutCase(name, "deflate")) return ContentCoding::kDeflate;
  return std::nullopt;
}

ContentCoding NegotiateContentCoding(std::string_view accept_encoding) {
  std::array<int, 3> weights = {kUnset, kUnset, kUnset};  // by ContentCoding
  int any = kUnset;
  WeightedList list(accept_encoding);
  while (const auto item = list.Next()) {
    if (item->has_parameters) return ContentCoding::kIdentity;  // codings have no parameters: malformed
    if (item->name == "*") {
      any = item->weight;
    } else if (const auto coding = ParseContentCoding(item->name); coding && !item->name.empty()) {
      weights[static_cast<size_t>(*coding)] = item->weight;
    }
  }
  if (list.malformed()) return ContentCoding::kIdentity;
  // Identity is acceptable unless it is refused, but any requested coding goes first.
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
