#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/ascii_case.h"
#include "fuzz/require.h"
#include "net/upstream/response_head.h"

// Fuzzes the head of a replica's response. An accepted head is forwarded to clients, so it must have no headers of the
// connection, and must read as the same when it is written again. The first byte selects whether the request was HEAD.

namespace inferd::net::upstream {
namespace {

std::string Written(const ResponseHead& head) {
  std::string text = "HTTP/1.1 " + std::to_string(head.status) + " OK\r\n";
  for (const auto& [name, value] : head.fields) text.append(name).append(": ").append(value).append("\r\n");
  return text + "\r\n";
}

void Check(std::string_view text, bool to_head) {
  ResponseHead head;
  const auto framing = ParseResponseHead(text, to_head, head);
  if (!framing.has_value()) return;
  fuzz::Require(head.status >= 100 && head.status < 600, "a status of three digits");
  fuzz::Require(!to_head || !head.has_body, "an answer to HEAD has no body");
  for (const auto& [name, value] : head.fields) {
    for (const std::string_view own : {"Connection", "Transfer-Encoding", "Content-Length", "Keep-Alive"}) {
      fuzz::Require(!base::EqualWithoutCase(name, own), "fields of the connection stay behind");
    }
    fuzz::Require(value.find_first_of("\r\n") == std::string_view::npos, "a value is one line");
  }
  const std::string written = Written(head);
  ResponseHead again;
  fuzz::Require(ParseResponseHead(written, to_head, again).has_value(), "what was read can be written");
  fuzz::Require(again.fields == head.fields && again.status == head.status, "and reads as the same");
}

}  // namespace
}  // namespace inferd::net::upstream

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  inferd::net::upstream::Check(text, (data[0] & 1) != 0);
  return 0;
}
