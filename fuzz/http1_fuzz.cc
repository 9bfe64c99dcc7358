#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "net/http1/session.h"
#include "tests/support/fake_session_host.h"

// Fuzzes the bytes that a peer sends on an HTTP/1 connection. The same requests must be executed for any division of
// the bytes into reads, and nothing may remain when the connection ends. The first byte selects how requests are
// answered, and how the bytes are divided.

namespace inferd::net {
namespace {

enum class Answering { kAtOnce, kLater, kInPieces, kNever };

struct Seen {
  std::vector<std::string> requests;
  uint64_t body_bytes_left = 0;
  int64_t in_flight = 0;
};

void Answer(Reply reply, Answering how) {
  if (how == Answering::kInPieces) {
    reply.Start(HttpResponse::Text(200, "text/plain", "first"));
    reply.Write(base::BufferSlice(base::Buffer::CopyOf("second")));
    reply.End();
  } else if (how != Answering::kNever) {
    reply.Send(HttpResponse::Text(200, "text/plain", "ok"));
  }
}

std::string Describe(const HttpRequest& request) {
  std::string text(request.head.method_text);
  for (const std::string_view segment : request.head.segments) text.append("/").append(segment);
  for (const auto& [name, value] : request.head.headers) text += "\n" + std::string(name) + ":" + std::string(value);
  return text + "\n\n" + std::string(request.body.view());
}

Seen Run(std::string_view bytes, size_t step, Answering how) {
  FakeSessionHost host;
  host.limits_value.header_bytes_max = 2048;
  host.limits_value.header_count_max = 8;
  host.limits_value.target_bytes_max = 100;
  host.limits_value.body_bytes_max = 100'000;
  Seen seen;
  std::vector<Reply> waiting;
  host.fake_handler.plan = [](const RequestHead& head) {
    BodyPlan plan;
    plan.align_at = head.headers.size();
    if (head.method == Method::kDelete) plan.refuse = HttpResponse::Text(404, "", "no");
    return plan;
  };
  host.fake_handler.answer = [&](HttpRequest request, Reply reply) {
    seen.requests.push_back(Describe(request));
    if (how == Answering::kLater) {
      waiting.push_back(std::move(reply));
    } else {
      Answer(std::move(reply), how);
    }
  };
  {
    http1::Session session(host, nullptr);
    while (!bytes.empty() && host.reading) {
      Feed(session, bytes.substr(0, step), step);
      bytes.remove_prefix(std::min(step, bytes.size()));
      while (!waiting.empty()) {
        Reply reply = std::move(waiting.back());
        waiting.pop_back();
        Answer(std::move(reply), how);
      }
      TakeAll(session);
    }
    session.OnTick(1'000'000'000);
    session.OnEof();
    TakeAll(session);
    session.OnClosed();
  }
  seen.body_bytes_left = host.budget->used();
  seen.in_flight = host.net_metrics.in_flight();
  return seen;
}

}  // namespace
}  // namespace inferd::net

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using inferd::net::Answering;
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto how = static_cast<Answering>(data[0] & 3);
  const size_t step = 1 + (data[0] >> 2);
  const inferd::net::Seen whole = inferd::net::Run(bytes, SIZE_MAX, how);
  const inferd::net::Seen pieces = inferd::net::Run(bytes, step, how);
  using inferd::fuzz::Require;
  Require(whole.requests == pieces.requests, "other requests when the bytes come in other pieces");
  Require(whole.body_bytes_left == 0 && pieces.body_bytes_left == 0, "body bytes left behind");
  Require(whole.in_flight == 0 && pieces.in_flight == 0, "requests left in flight");
  return 0;
}
