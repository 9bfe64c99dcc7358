// floor PORT [LOOPS]: an HTTP server that does nothing. The same loops, parser and framing as inferd's; reads a
// request's body and answers 200 with as many bytes as its query says ("/?bytes=100"). What it costs is what a request
// costs before anybody has looked at it.

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "bench/floor/http_floor.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file

class FloorHandler final : public net::HttpHandler {
 public:
  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest request, net::Reply reply) override { reply.Send(answer_.For(request.head.query)); }

 private:
  bench::SizedAnswer answer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: floor PORT [LOOPS]\n");
    return 2;
  }
  return bench::ServeFloor(argv[1], argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0,
                           [](net::Loop&) { return std::make_unique<FloorHandler>(); });
}
