#include <benchmark/benchmark.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/system/file_descriptor.h"
#include "net/client/dial.h"
#include "net/client/url.h"
#include "net/server.h"

// Measures the resident bytes of each idle HTTP/2 connection that has been used.

namespace inferd::net {
namespace {

using namespace std::string_view_literals;

// The preface, SETTINGS, and GET / on stream 1 (RFC 7541, appendix A).
constexpr std::string_view kFirstRequest =
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    "\0\0\0\4\0\0\0\0\0"
    "\0\0\6\1\5\0\0\0\1\x82\x84\x86\x41\1h"sv;

class OkHandler final : public HttpHandler {
 public:
  BodyPlan OnHead(const RequestHead&) override { return {}; }
  void OnRequest(HttpRequest, Reply reply) override { reply.Send(HttpResponse::Text(200, "text/plain", "ok")); }
};

int64_t ResidentBytes() {
  int64_t all = 0;
  int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Connects, sends one request, and reads the first answer: SETTINGS at least.
base::FileDescriptor Use(const Url& url) {
  base::FileDescriptor fd(Dial(url, "").value());
  send(fd.get(), kFirstRequest.data(), kFirstRequest.size(), MSG_NOSIGNAL);
  char buffer[512];
  recv(fd.get(), buffer, sizeof buffer, 0);
  return fd;
}

void BM_IdleHttp2Connections(benchmark::State& state) {
  Limits limits;
  limits.http2_keepalive.ping_timeout = std::chrono::milliseconds(200);  // the shortest limit sets the tick interval
  LoopGroup loops(2);
  const std::unique_ptr<base::Logger> logger = base::Logger::Silent();
  Server server(loops, limits, nullptr, *logger);
  ListenerOptions options;
  options.name = "http";
  options.address = "127.0.0.1";
  options.handlers = [](Loop&) { return std::make_unique<OkHandler>(); };
  if (!server.Listen(std::move(options)).ok()) return state.SkipWithError("cannot listen");
  const Url url = ParseUrl("http://127.0.0.1:" + std::to_string(server.port("http"))).value();
  {
    const base::FileDescriptor warm = Use(url);
  }
  for (auto _ : state) {
    std::vector<base::FileDescriptor> peers;
    peers.reserve(static_cast<size_t>(state.range(0)));
    const int64_t before = ResidentBytes();
    for (int64_t i = 0; i < state.range(0); ++i) peers.push_back(Use(url));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // a few ticks
    state.counters["rss_per_connection"] = static_cast<double>((ResidentBytes() - before) / state.range(0));
  }
}
BENCHMARK(BM_IdleHttp2Connections)->Arg(1000)->Iterations(1);

}  // namespace
}  // namespace inferd::net
