// Fuzzes an HTTP/2 connection with any bytes, in any pieces. Handlers answer at once, later, in pieces or never, and
// sinks answer while the body arrives. Every request must end, and every charged byte must be released.
//
// Input: one byte of switches, one byte for the size of the pieces (if its highest bit is set, the handler has sinks),
// then the bytes that the peer sends.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "fuzz/echo_sink.h"
#include "fuzz/require.h"
#include "net/http2/session.h"
#include "tests/support/fake_session_host.h"

namespace inferd::fuzz {
namespace {

constexpr std::string_view kGreeting("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);

enum Switch : uint8_t {
  kSendGreeting = 1,  // the peer has sent its preface and SETTINGS
  kSmallLimits = 2,
  kAnswerLater = 4,
  kAnswerInPieces = 8,
  kRefuse = 16,
  kUpgrade = 32,  // the input is HTTP2-Settings, a line break, and the bytes after the 101
  kDrain = 64,
  kKeepHalfClosed = 128,
};

void SetUp(net::FakeSessionHost& host, uint8_t switches, std::vector<net::Reply>& held) {
  if ((switches & kSmallLimits) != 0) {
    host.limits_value.header_bytes_max = 256;
    host.limits_value.header_count_max = 6;
    host.limits_value.target_bytes_max = 16;
    host.limits_value.body_bytes_max = 64;
    host.limits_value.write_high_water = 32;
    host.limits_value.http2_streams_max = 3;
  }
  host.limits_value.keep_half_closed = (switches & kKeepHalfClosed) != 0;
  if ((switches & kRefuse) != 0) {
    host.fake_handler.plan = [](const net::RequestHead&) {
      net::BodyPlan plan;
      plan.refuse = net::HttpResponse::Text(404, "text/plain", "no");
      return plan;
    };
  }
  host.fake_handler.answer = [&held, switches](net::HttpRequest request, net::Reply reply) {
    Require(request.head.target.empty() || request.head.target.data() != nullptr, "a target without bytes");
    if ((switches & kAnswerLater) != 0) return held.push_back(std::move(reply));
    net::HttpResponse response;
    response.body.push_back(request.body);
    if ((switches & kAnswerInPieces) == 0) return reply.Send(std::move(response));
    reply.Start(std::move(response));
    reply.Write(request.body);
    reply.End();
  };
}

std::unique_ptr<net::Session> Open(net::FakeSessionHost& host, uint8_t switches, std::string_view& input) {
  if ((switches & kUpgrade) == 0) return net::http2::MakeSession(host);
  const size_t end = std::min(input.find('\n'), input.size());
  net::HttpRequest request;
  request.head.method_text = "GET";
  request.head.target = "/";
  auto session = net::http2::MakeUpgradedSession(host, input.substr(0, end), request);
  if (!session.has_value()) return nullptr;
  input.remove_prefix(end);
  return *std::move(session);
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  if (size < 2) return 0;
  const uint8_t switches = data[0];
  const bool sinks = (data[1] & 0x80) != 0;
  const size_t step = (data[1] & 0x7f) == 0 ? SIZE_MAX : data[1] & 0x7f;
  std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);

  net::FakeSessionHost host(1 << 20);
  std::vector<net::Reply> held;
  fuzz::SetUp(host, switches, held);
  if (sinks) {
    host.fake_handler.plan = [](const net::RequestHead&) {
      net::BodyPlan plan;
      plan.sink = std::make_unique<fuzz::EchoSink>();
      return plan;
    };
  }
  auto session = fuzz::Open(host, switches, input);
  if (session == nullptr) return 0;
  if ((switches & fuzz::kSendGreeting) != 0) net::Feed(*session, fuzz::kGreeting);
  net::Feed(*session, input.substr(0, input.size() / 2), step);
  net::TakeAll(*session);
  host.fake_loop.RunAll();
  if ((switches & fuzz::kDrain) != 0) session->BeginDrain();
  net::Feed(*session, input.substr(input.size() / 2), step);
  net::TakeAll(*session);
  for (net::Reply& reply : held) reply.Send(net::HttpResponse::Text(200, "text/plain", "late"));
  host.fake_loop.RunAll();
  net::TakeAll(*session);
  session->OnTick(base::SystemClock().NowNs() + 60'000'000'000);
  net::TakeAll(*session);
  session->OnEof();
  net::TakeAll(*session);
  session->OnClosed();
  host.fake_loop.RunAll();
  fuzz::Require(session->in_flight() == 0 && host.net_metrics.in_flight() == 0, "a request is still in flight");
  session.reset();
  held.clear();
  fuzz::Require(host.budget->used() == 0, "bytes are still charged");
  return 0;
}
