#include "net/http1/head_parser.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text/ascii_case.h"
#include "net/http/ascii.h"
#include "net/http/host.h"
#include "net/http/target.h"
#include "net/http1/field_line.h"

namespace inferd::net::http1 {

namespace {

// The allowance for a request line besides its target: method, version, spaces, line end.
constexpr size_t kRequestLineBytes = 64;

std::unexpected<HttpError> Refuse(int status, std::string message) {
  return std::unexpected(HttpError{status, std::move(message)});
}

// Parses "HTTP/1.1" or "HTTP/1.0".
std::expected<bool, HttpError> IsHttp10(std::string_view version) {
  if (version == "HTTP/1.1") return false;
  if (version == "HTTP/1.0") return true;
  const bool well_formed = version.size() == 8 && version.starts_with("HTTP/") && version[5] >= '0' &&
                           version[5] <= '9' && version[6] == '.' && version[7] >= '0' && version[7] <= '9';
  if (!well_formed) return Refuse(400, "malformed request line");
  return Refuse(505, "HTTP version not supported; expected HTTP/1.1");
}

std::expected<bool, HttpError> ParseRequestLine(std::string_view line, const Limits& limits, RequestHead& head) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == 0 || last <= first + 1) return Refuse(400, "malformed request line");
  const std::string_view target = line.substr(first + 1, last - first - 1);
  head.method_text = line.substr(0, first);
  head.method = MethodOf(head.method_text);
  if (!IsToken(head.method_text)) return Refuse(400, "malformed request method");
  auto http10 = IsHttp10(line.substr(last + 1));
  if (!http10.has_value()) return http10;
  if (target.size() > limits.target_bytes_max) return Refuse(414, "request target too long");
  for (const char c : target) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) return Refuse(400, "malformed request target");
  }
  if (const base::Status status = ParseTarget(target, head); !status.ok()) return Refuse(400, status.message());
  return http10;
}

// A summary of the fields. Repetitions of fields that must be single are counted.
struct Fields {
  size_t hosts = 0;
  size_t lengths = 0;
  size_t codings = 0;
  size_t settings = 0;
  bool close = false;
  bool keep_alive = false;
  bool connection_upgrade = false;
  bool connection_settings = false;
  bool upgrade_h2c = false;
  std::string_view transfer_encoding;
};

std::optional<HttpError> Interpret(std::string_view name, std::string_view value, RequestHead& head, Fields& fields,
                                   Framing& framing) {
  // Only names of these lengths matter here.
  switch (name.size()) {
    case 4:
      if (!base::EqualWithoutCase(name, "Host")) break;
      ++fields.hosts;
      if (!ParseHost(value).has_value()) return HttpError{400, "malformed Host header"};
      break;
    case 6:
      if (base::EqualWithoutCase(name, "Expect")) {
        if (!base::EqualWithoutCase(value, "100-continue"))
          return HttpError{417, "Expect: only 100-continue is supported"};
        framing.expect_continue = true;
      }
      break;
    case 7:
      if (base::EqualWithoutCase(name, "Upgrade")) fields.upgrade_h2c |= value == "h2c";
      break;
    case 10:
      if (!base::EqualWithoutCase(name, "Connection")) break;
      ForEachToken(value, [&fields](std::string_view token) {
        fields.close |= base::EqualWithoutCase(token, "close");
        fields.keep_alive |= base::EqualWithoutCase(token, "keep-alive");
        fields.connection_upgrade |= base::EqualWithoutCase(token, "upgrade");
        fields.connection_settings |= base::EqualWithoutCase(token, "http2-settings");
      });
      break;
    case 12:
      if (base::EqualWithoutCase(name, "X-Request-Id")) head.TakeRequestId(value);
      break;
    case 14:
      if (base::EqualWithoutCase(name, "HTTP2-Settings")) ++fields.settings, framing.http2_settings = value;
      if (base::EqualWithoutCase(name, "Content-Length")) {
        ++fields.lengths;
        const auto length = ParseContentLength(value);
        if (!length.has_value()) return HttpError{400, "malformed Content-Length"};
        head.content_length = *length;
      }
      break;
    case 17:
      if (base::EqualWithoutCase(name, "Transfer-Encoding")) ++fields.codings, fields.transfer_encoding = value;
      break;
    default: break;
  }
  return std::nullopt;
}

std::optional<HttpError> Check(const RequestHead& head, const Fields& fields, Framing& framing) {
  if (fields.hosts != 1 && !(framing.http10 && fields.hosts == 0)) {
    return HttpError{400, fields.hosts == 0 ? "Host header missing" : "more than one Host header"};
  }
  if (fields.lengths > 1) return HttpError{400, "more than one Content-Length header"};
  if (fields.codings > 0) {
    if (framing.http10) return HttpError{400, "Transfer-Encoding is not accepted with HTTP/1.0"};
    if (fields.lengths > 0) return HttpError{400, "both Content-Length and Transfer-Encoding"};
    if (fields.codings > 1 || !base::EqualWithoutCase(fields.transfer_encoding, "chunked")) {
      return HttpError{501, "Transfer-Encoding not supported; expected chunked"};
    }
    framing.chunked = true;
  }
  framing.keep_alive = framing.http10 ? fields.keep_alive && !fields.close : !fields.close;
  framing.expect_continue &= !framing.http10;
  const bool has_body = framing.chunked || head.content_length.value_or(0) > 0;
  framing.upgrade_h2c = fields.upgrade_h2c && fields.connection_upgrade && fields.connection_settings &&
                        fields.settings == 1 && !has_body && !framing.http10;
  return std::nullopt;
}

// The target's host, which stands first, replaces any Host that the client sends (RFC 9112, 3.2.2).
void DropSentHost(RequestHead& head) {
  auto& headers = head.headers;
  const auto is_host = [](const auto& field) { return base::EqualWithoutCase(field.first, "Host"); };
  headers.erase(std::remove_if(headers.begin() + 1, headers.end(), is_host), headers.end());
}

}  // namespace

void HeadScanner::Reset() { begin_ = line_ = scanned_ = lines_ = 0; }

HeadScanner::State HeadScanner::Fail(int status, std::string message) {
  error_ = {status, std::move(message)};
  return State::kError;
}

HeadScanner::State HeadScanner::CheckUnfinished(std::string_view input) {
  scanned_ = input.size();
  if (lines_ == 0 && input.size() - begin_ > limits_.target_bytes_max + kRequestLineBytes)
    return Fail(414, "request target too long");
  if (input.size() - begin_ > limits_.header_bytes_max) return Fail(431, "request header too large");
  return State::kMore;
}

HeadScanner::State HeadScanner::Scan(std::string_view input) {
  for (;;) {
    const void* found =
        scanned_ < input.size() ? std::memchr(input.data() + scanned_, '\n', input.size() - scanned_) : nullptr;
    if (found == nullptr) return CheckUnfinished(input);
    const auto lf = static_cast<size_t>(static_cast<const char*>(found) - input.data());
    if (lf == line_ || input[lf - 1] != '\r') return Fail(400, "header line without CR LF");
    const bool empty = lf == line_ + 1;
    line_ = scanned_ = lf + 1;
    if (empty && lines_ == 0) {
      begin_ = line_;
      if (begin_ > 16) return Fail(400, "empty lines before the request line");
      continue;
    }
    if (lines_ == 0 && line_ - begin_ > limits_.target_bytes_max + kRequestLineBytes) {
      return Fail(414, "request target too long");
    }
    if (line_ - begin_ > limits_.header_bytes_max) return Fail(431, "request header too large");
    if (empty) return State::kDone;
    if (++lines_ > limits_.header_count_max + 1) return Fail(431, "too many request headers");
  }
}

std::expected<Framing, HttpError> ParseHead(std::string_view text, const Limits& limits, RequestHead& head) {
  Framing framing;
  Fields fields;
  size_t end = text.find("\r\n");
  if (end == std::string_view::npos) return Refuse(400, "malformed request line");
  const auto http10 = ParseRequestLine(text.substr(0, end), limits, head);
  if (!http10.has_value()) return std::unexpected(http10.error());
  framing.http10 = *http10;
  const bool host_in_target = !head.headers.empty();
  for (;;) {
    text.remove_prefix(end + 2);
    end = text.find("\r\n");
    if (end == std::string_view::npos) return Refuse(400, "header line without CR LF");
    if (end == 0) break;
    const auto field = ParseFieldLine(text.substr(0, end));
    if (!field.has_value()) return Refuse(400, field.error());
    const auto& [name, value] = head.headers.emplace_back(*field);
    if (auto error = Interpret(name, value, head, fields, framing)) return std::unexpected(*std::move(error));
  }
  if (auto error = Check(head, fields, framing)) return std::unexpected(*std::move(error));
  if (host_in_target) DropSentHost(head);
  return framing;
}

}  // namespace inferd::net::http1
