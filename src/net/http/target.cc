#include "net/http/target.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/text/ascii_case.h"
#include "base/text/hex.h"
#include "net/http/host.h"

namespace inferd::net {

namespace {

// Decodes to `out`, which must have room for all of `text`.
base::Result<std::string_view> DecodeSegment(std::string_view text, char* out) {
  char* end = out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      *end++ = text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? base::HexValue(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? base::HexValue(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return std::unexpected(base::InvalidArgument("malformed percent-encoding in request target"));
    *end++ = static_cast<char>(high * 16 + low);
    i += 2;
  }
  return std::string_view(out, end);
}

base::Status CheckSegment(std::string_view segment) {
  if (segment.find('\0') != std::string_view::npos) return base::InvalidArgument("NUL byte in request target");
  if (segment == "." || segment == "..") {
    return base::InvalidArgument("'.' and '..' segments are not accepted in request target");
  }
  return base::OkStatus();
}

// Splits "http://host/path?x": puts the host before the headers of `head`, and sets its target to "/path?x".
base::Status TakeAbsoluteForm(std::string_view target, RequestHead& head) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!base::EqualWithoutCase(target.substr(0, scheme.size()), scheme)) continue;
    const std::string_view behind = target.substr(scheme.size());
    const size_t end = std::min(behind.find_first_of("/?#"), behind.size());
    const std::string_view host = behind.substr(0, end);
    if (host.empty() || !ParseHost(host).has_value()) return base::InvalidArgument("malformed host in request target");
    head.headers.emplace_back("Host", host);
    head.target = end == behind.size() ? std::string_view("/") : behind.substr(end);
    if (head.target.starts_with('/')) return base::OkStatus();
    // A query without a path: there are no segments to decode, so `decoded` can own the target.
    auto text = std::make_shared_for_overwrite<char[]>(head.target.size() + 1);
    text[0] = '/';
    head.target.copy(text.get() + 1, head.target.size());
    head.target = {text.get(), head.target.size() + 1};
    head.decoded = std::move(text);
    return base::OkStatus();
  }
  return base::InvalidArgument("request target is not a path");
}

}  // namespace

base::Status ParseTarget(std::string_view target, RequestHead& head) {
  head.target = target;
  head.segments.clear();
  head.decoded = nullptr;
  head.query = {};
  if (target == "*") return base::OkStatus();
  if (!target.starts_with('/')) {
    // Over HTTP/2 the host has a field of its own (RFC 9113, 8.3.1).
    if (head.http2) return base::InvalidArgument("request target is not a path");
    INFERD_RETURN_IF_ERROR(TakeAbsoluteForm(target, head));
  }
  std::string_view path = head.target;
  // No form of a target has a fragment (RFC 9112, 3.2).
  if (path.find('#') != std::string_view::npos) return base::InvalidArgument("'#' in request target");
  if (const size_t question = path.find('?'); question != std::string_view::npos) {
    head.query = path.substr(question + 1);
    path = path.substr(0, question);
  }
  if (path.size() <= 1) return base::OkStatus();
  const bool escaped = path.find('%') != std::string_view::npos;
  std::shared_ptr<char[]> decoded;
  if (escaped) head.decoded = decoded = std::make_shared_for_overwrite<char[]>(path.size());
  for (size_t begin = 1; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    std::string_view segment = path.substr(begin, end - begin);
    if (escaped) {
      INFERD_ASSIGN_OR_RETURN(segment, DecodeSegment(segment, decoded.get() + begin));
    }
    INFERD_RETURN_IF_ERROR(CheckSegment(segment));
    head.segments.push_back(segment);
    begin = end + 1;
  }
  return base::OkStatus();
}

Method MethodOf(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Method>, 7> kMethods = {{{"GET", Method::kGet},
                                                                                   {"HEAD", Method::kHead},
                                                                                   {"POST", Method::kPost},
                                                                                   {"PUT", Method::kPut},
                                                                                   {"DELETE", Method::kDelete},
                                                                                   {"PATCH", Method::kPatch},
                                                                                   {"OPTIONS", Method::kOptions}}};
  for (const auto& [name, method] : kMethods) {
    if (name == text) return method;
  }
  return Method::kOther;
}

}  // namespace inferd::net
