#include "kserve/apiserver/http/api_path.h"

#include <charconv>

#include "base/text/percent.h"

namespace inferd::apiserver {

namespace {

std::string Decoded(std::string_view text) {
  std::string spaced(text);
  for (char& c : spaced) {
    if (c == '+') c = ' ';
  }
  return base::PercentDecoded(spaced);
}

}  // namespace

Query::Query(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    const size_t equals = std::min(pair.find('='), pair.size());
    if (!pair.empty()) {
      values_.emplace(Decoded(pair.substr(0, equals)), Decoded(pair.substr(std::min(equals + 1, pair.size()))));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view Query::Get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string_view() : found->second;
}

bool Query::IsTrue(std::string_view name) const {
  const std::string_view value = Get(name);
  return value == "true" || value == "1" || value == "True";
}

std::optional<int64_t> Query::GetNumber(std::string_view name) const {
  const std::string_view value = Get(name);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<ApiPath> ParseApiPath(const net::RequestHead& head) {
  const auto& all = head.segments;
  size_t at = 0;
  const auto next = [&] { return at < all.size() ? all[at++] : std::string_view(); };
  std::string_view group;
  const std::string_view root = next();
  if (root == "apis") {
    group = next();
    if (group.empty()) return std::nullopt;
  } else if (root != "api") {
    return std::nullopt;
  }
  const std::string_view version = next();
  ApiPath path;
  std::string_view plural = next();
  // "namespaces/NAME" is the namespace itself, "namespaces/NAME/configmaps" a collection in it.
  if (plural == "namespaces" && at + 1 < all.size()) {
    const ResourceType* const within = FindResource(group, version, all[at + 1]);
    if (within != nullptr && within->namespaced) {
      path.namespace_name = next();
      plural = next();
    }
  }
  path.type = FindResource(group, version, plural);
  if (path.type == nullptr || (path.type->namespaced && root.empty())) return std::nullopt;
  path.name = next();
  path.subresource = next();
  if (at < all.size()) return std::nullopt;
  // A namespaced object needs its namespace.
  if (path.type->namespaced && path.namespace_name.empty() && !path.name.empty()) return std::nullopt;
  return path;
}

}  // namespace inferd::apiserver
