// tensorflow_floor PORT SAVED_MODEL OUTPUT_OPERATOR ELEMENTS: the HTTP floor with TensorFlow's bare C API behind it,
// and nothing else. For each request, unseen, it runs the model once on its connection's thread with a vector of so
// many floats, and answers as the floor answers. What it costs is what a request costs before anybody has looked at it,
// and its execution, in one process, where each finds the other's traces in the caches: more than the two by
// themselves.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "bench/engine_call/bare_graph.h"
#include "bench/engine_call/require.h"
#include "bench/floor/http_floor.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file

class GraphHandler final : public net::HttpHandler {
 public:
  GraphHandler(const char* folder, const char* output, int64_t elements) : graph_(folder, output, {elements}) {}

  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    if (request.body.size() > 0) graph_.Call();
    reply.Send(answer_.For(request.head.query));
  }

 private:
  bench::BareGraph graph_;
  bench::SizedAnswer answer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: tensorflow_floor PORT SAVED_MODEL OUTPUT_OPERATOR ELEMENTS\n");
    return 2;
  }
  tensorflow::PrepareTf();
  const base::Status opened = tensorflow::OpenTf();
  bench::Require(opened.ok(), opened.ToString());
  return bench::ServeFloor(
      argv[1], 0, [&](net::Loop&) { return std::make_unique<GraphHandler>(argv[2], argv[3], std::atoll(argv[4])); });
}
