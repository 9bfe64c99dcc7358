// floor PORT [LOOPS]: an HTTP server that does nothing. The same loops, parser and framing as inferd's; reads a
// request's body and answers 200 with as many bytes as its query says ("/?bytes=100"). What it costs is what a request
// costs before anybody has looked at it.

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "net/server.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file

class FloorHandler final : public net::HttpHandler {
 public:
  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    constexpr std::string_view kBytes = "bytes=";
    size_t bytes = 0;
    std::string_view query = request.head.query;
    if (query.starts_with(kBytes)) {
      query.remove_prefix(kBytes.size());
      std::from_chars(query.data(), query.data() + query.size(), bytes);
    }
    net::HttpResponse response;
    response.headers.emplace_back("Content-Type", "application/json");
    response.body.push_back(Answer(bytes));
    reply.Send(std::move(response));
  }

 private:
  base::BufferSlice Answer(size_t bytes) {
    constexpr size_t kBytesMax = 64 << 20;
    bytes = std::min(bytes, kBytesMax);
    if (answer_.size() < bytes) {
      base::Buffer buffer = base::Buffer::Allocate(bytes);
      std::fill_n(buffer.data(), bytes, std::byte{'x'});
      answer_ = base::BufferSlice(std::move(buffer));
    }
    return answer_.Sub(0, bytes);
  }

  base::BufferSlice answer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: floor PORT [LOOPS]\n");
    return 2;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  net::LoopGroup loops(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0);
  const auto logger = base::Logger::Silent();
  net::Server server(loops, net::Limits(), nullptr, *logger);
  net::ListenerOptions listener;
  listener.name = "http";
  listener.address = "127.0.0.1";
  listener.port = static_cast<uint16_t>(std::strtoul(argv[1], nullptr, 10));
  listener.handlers = [](net::Loop&) { return std::make_unique<FloorHandler>(); };
  if (const base::Status status = server.Listen(std::move(listener)); !status.ok()) {
    std::fprintf(stderr, "floor: %s\n", status.message().c_str());
    return 1;
  }
  int signal = 0;
  sigwait(&signals, &signal);
  server.Stop();
  return 0;
}
