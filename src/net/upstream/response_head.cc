#include "net/upstream/response_head.h"

#include <algorithm>

#include "base/text/ascii_case.h"
#include "net/http/ascii.h"
#include "net/http/connection_fields.h"
#include "net/http1/field_line.h"

namespace inferd::net::upstream {

namespace {

using Framing = ResponseFraming;

// Parses "HTTP/1.1 200 OK". The reason may be empty, and the space before it missing.
bool ParseStatusLine(std::string_view line, bool* http10, int* status) {
  constexpr std::string_view kVersion = "HTTP/1.";
  if (line.size() < 12 || !line.starts_with(kVersion) || line[8] != ' ') return false;
  if (line[7] != '0' && line[7] != '1') return false;
  if (line.size() > 12 && line[12] != ' ') return false;
  *http10 = line[7] == '0';
  *status = 0;
  for (const char c : line.substr(9, 3)) {
    if (c < '0' || c > '9') return false;
    *status = *status * 10 + (c - '0');
  }
  return *status >= 100 && *status < 600;
}

// The fields' statements about the connection and the body.
struct Said {
  std::optional<uint64_t> length;
  std::string_view coding;
  size_t codings = 0;
  bool close = false;
  bool keep_alive = false;
  std::string_view connection;  // names of further fields that belong to the connection only
};

std::optional<std::string> Interpret(std::string_view name, std::string_view value, Said& said) {
  if (base::EqualWithoutCase(name, "Connection")) {
    said.connection = value;
    ForEachToken(value, [&said](std::string_view token) {
      said.close |= base::EqualWithoutCase(token, "close");
      said.keep_alive |= base::EqualWithoutCase(token, "keep-alive");
    });
  } else if (base::EqualWithoutCase(name, "Content-Length")) {
    const auto length = http1::ParseContentLength(value);
    if (!length.has_value() || said.length.has_value()) return "malformed or repeated Content-Length";
    said.length = length;
  } else if (base::EqualWithoutCase(name, "Transfer-Encoding")) {
    ++said.codings;
    said.coding = value;
  }
  return std::nullopt;
}

std::expected<Framing, std::string> FramingOf(const Said& said, bool http10, bool to_head, int status) {
  Framing framing;
  framing.keep_alive = http10 ? said.keep_alive && !said.close : !said.close;
  framing.interim = status < 200;
  if (said.codings > 0 && (said.length.has_value() || http10))
    return std::unexpected("Transfer-Encoding beside others");
  if (said.codings > 1 || (said.codings == 1 && !base::EqualWithoutCase(said.coding, "chunked"))) {
    return std::unexpected("a Transfer-Encoding other than chunked");
  }
  if (to_head || framing.interim || status == 204 || status == 304) return framing;
  if (said.codings == 1) {
    framing.body = Framing::Body::kChunked;
  } else if (!said.length.has_value()) {
    framing.body = Framing::Body::kUntilClose;
    framing.keep_alive = false;
  } else if (*said.length > 0) {
    framing.body = Framing::Body::kLength;
  }
  return framing;
}

void LeaveOut(std::string_view names, FieldViews& fields) {
  const auto is_named = [names](const FieldView& field) { return ListNames(names, field.first); };
  fields.erase(std::remove_if(fields.begin(), fields.end(), is_named), fields.end());
}

}  // namespace

std::expected<ResponseFraming, std::string> ParseResponseHead(std::string_view text, bool to_head, ResponseHead& head) {
  size_t end = text.find("\r\n");
  bool http10 = false;
  if (end == std::string_view::npos || !ParseStatusLine(text.substr(0, end), &http10, &head.status)) {
    return std::unexpected("malformed status line");
  }
  Said said;
  for (;;) {
    text.remove_prefix(end + 2);
    end = text.find("\r\n");
    if (end == std::string_view::npos) return std::unexpected("header line without CR LF");
    if (end == 0) break;
    const auto field = http1::ParseFieldLine(text.substr(0, end));
    if (!field.has_value()) return std::unexpected(field.error());
    if (auto error = Interpret(field->first, field->second, said)) return std::unexpected(*std::move(error));
    if (!IsOfConnection(field->first)) head.fields.push_back(*field);
  }
  if (!said.connection.empty()) LeaveOut(said.connection, head.fields);
  const auto framing = FramingOf(said, http10, to_head, head.status);
  if (framing.has_value()) {
    head.has_body = framing->body != Framing::Body::kNone;
    if (framing->body == Framing::Body::kLength) head.content_length = said.length;
  }
  return framing;
}

}  // namespace inferd::net::upstream
