// floor PORT [LOOPS]: an HTTP server that does nothing, with the loops, parser and framing of inferd. It reads a
// request's body and answers 200 with the number of bytes in the query ("/?bytes=100"). Its cost is the cost of a
// request before any code reads the body.
//
// With "/?copy=1048576" it first copies this number of bytes from one half of a shared memory object to the other, like
// a model that copies its input to its output in a client's memory. "/copied" returns the number of copies, and their
// total time in nanoseconds.

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "bench/floor/http_floor.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file

// A shared memory object whose first half is copied to its second half. Counts and times the copies. Thread-safe.
class SharedCopy final {
 public:
  // Copies at most kBytesMax.
  void Copy(size_t bytes) {
    const auto begin = std::chrono::steady_clock::now();
    std::memcpy(memory_ + kBytesMax, memory_, std::min(bytes, kBytesMax));
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
    count_.fetch_add(1, std::memory_order_relaxed);
    ns_.fetch_add(took.count(), std::memory_order_relaxed);
  }
  std::string Text() const { return std::to_string(count_.load()) + " " + std::to_string(ns_.load()); }

 private:
  static constexpr size_t kBytesMax = 16 << 20;

  std::byte* const memory_ = static_cast<std::byte*>(
      ::mmap(nullptr, 2 * kBytesMax, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
  std::atomic<int64_t> count_{0};
  std::atomic<int64_t> ns_{0};
};

class FloorHandler final : public net::HttpHandler {
 public:
  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  explicit FloorHandler(SharedCopy& copy) : copy_(copy) {}

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const std::string_view query = request.head.query;
    if (request.head.target == "/copied") return reply.Send(net::HttpResponse::Text(200, "text/plain", copy_.Text()));
    if (const size_t bytes = bench::NumberIn(query, "copy="); bytes > 0) copy_.Copy(bytes);
    reply.Send(answer_.For(query));
  }

 private:
  SharedCopy& copy_;
  bench::SizedAnswer answer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: floor PORT [LOOPS]\n");
    return 2;
  }
  SharedCopy copy;
  return bench::ServeFloor(argv[1], argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0,
                           [&](net::Loop&) { return std::make_unique<FloorHandler>(copy); });
}
