#include "net/http/transport_answer.h"

#include <string>

namespace inferd::net {

HttpResponse TransportAnswer(int status, std::string_view text, RefusalForm form) {
  if (form != nullptr) return form(status, text);
  std::string body = R"({"error":")";
  for (const char c : text) {
    if (c == '"' || c == '\\') body.push_back('\\');
    body.push_back(c);
  }
  body += "\"}";
  return HttpResponse::Text(status, "application/json", body);
}

}  // namespace inferd::net
