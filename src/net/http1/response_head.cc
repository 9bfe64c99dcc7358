#include "net/http1/response_head.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include "net/http1/field_value.h"

namespace inferd::net::http1 {

namespace {

constexpr std::array<std::pair<int, std::string_view>, 32> kReasons = {{
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {100, "Continue"},
}};

void AppendNumber(uint64_t number, std::string& out) {
  std::array<char, 24> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), result.ptr);
}

// Appends `text` with a space for each byte that would end the line.
void AppendText(std::string_view text, std::string& out) {
  const size_t begin = out.size();
  out.append(text);
  if (IsFieldValue(text)) return;
  for (size_t i = begin; i < out.size(); ++i) {
    if (out[i] == '\r' || out[i] == '\n' || out[i] == '\0') out[i] = ' ';
  }
}

void AppendHeaders(const HeaderList& headers, std::string& out) {
  for (const auto& [name, value] : headers) {
    AppendText(name, out);
    out.append(": ");
    AppendText(value, out);
    out.append("\r\n");
  }
}

}  // namespace

std::string_view ReasonPhrase(int status) {
  for (const auto& [code, phrase] : kReasons) {
    if (code == status) return phrase;
  }
  return "Unknown";
}

// Writes IMF-fixdate (RFC 9110, 5.6.7), independent of the locale.
std::string_view ResponseHeadWriter::DateLine() {
  const std::time_t now = std::time(nullptr);
  if (now == date_second_) return date_line_;
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 64> line;
  const int size =
      std::snprintf(line.data(), line.size(), "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n", kDays[utc.tm_wday],
                    utc.tm_mday, kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
  date_line_.assign(line.data(), static_cast<size_t>(size));
  date_second_ = now;
  return date_line_;
}

void ResponseHeadWriter::Write(const HttpResponse& response, const ResponseFraming& framing, std::string& out) {
  if (response.status == 200) {
    out.append("HTTP/1.1 200 OK\r\n");
  } else {
    out.append("HTTP/1.1 ");
    AppendNumber(static_cast<uint64_t>(response.status), out);
    out.push_back(' ');
    out.append(ReasonPhrase(response.status));
    out.append("\r\n");
  }
  out.append(DateLine());
  if (!response.content_type.empty()) {
    out.append("Content-Type: ");
    AppendText(response.content_type, out);
    out.append("\r\n");
  }
  AppendHeaders(response.headers, out);
  if (framing.answer_headers != nullptr) AppendHeaders(*framing.answer_headers, out);
  if (!framing.request_id.empty()) {
    out.append("X-Request-Id: ");
    out.append(framing.request_id);
    out.append("\r\n");
  }
  if (framing.content_length.has_value()) {
    out.append("Content-Length: ");
    AppendNumber(*framing.content_length, out);
    out.append("\r\n");
  }
  if (framing.chunked) out.append("Transfer-Encoding: chunked\r\n");
  if (framing.close) {
    out.append("Connection: close\r\n");
  } else if (framing.http10) {
    out.append("Connection: keep-alive\r\n");
  }
  out.append("\r\n");
}

}  // namespace inferd::net::http1
