#include <benchmark/benchmark.h>
#include <malloc.h>

#include <string>

#include "net/grpc/fake_call.h"
#include "net/grpc/handler.h"
#include "net/http2/session.h"
#include "tests/support/fake_session_host.h"
#include "tests/support/grpc_echo_service.h"

// Measures a unary echo: the gRPC layer alone, with a transport that drops the response, and all of HTTP/2 without
// sockets. Counts allocations by the C++ operators, which do not include buffers.

namespace {

uint64_t allocations = 0;

}  // namespace

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

namespace inferd::net::grpc {
namespace {

void Report(benchmark::State& state, uint64_t allocations_before) {
  state.counters["allocations"] =
      benchmark::Counter(static_cast<double>(allocations - allocations_before), benchmark::Counter::kAvgIterations);
}

// A transport that drops responses.
class Nowhere final : public Exchange {
 public:
  using Exchange::Exchange;
  void Send(HttpResponse&& response) override {
    benchmark::DoNotOptimize(response.body.data());
    Close();
  }
  void Start(HttpResponse&&) override {}
  bool Write(base::BufferSlice) override { return true; }
  void End(Trailers) override { Close(); }
  void OnWritable(base::Task) override {}
  void OnPeerGone(base::Task) override {}
  void PauseBody() override {}
  void ResumeBody() override {}
  void TellPeerGone() override {}
  void Abandon() override { Close(); }
};

void BM_GrpcUnary(benchmark::State& state) {
  FakeServer server;
  server.Serve(inferd::support::EchoMethods());
  const std::string frame = Framed(std::string(static_cast<size_t>(state.range(0)), 'x'));
  Nowhere exchange(server.replies);
  const uint64_t before = allocations;
  for (auto _ : state) {
    HttpRequest request;
    request.head.method = net::Method::kPost;
    request.head.http2 = true;
    request.head.target = "/inferd.test.Echo/Unary";
    request.head.headers.emplace_back("user-agent", "grpc-c++/1.51");
    request.head.headers.emplace_back("content-type", "application/grpc");
    request.head.headers.emplace_back("te", "trailers");
    request.head.headers.emplace_back("grpc-accept-encoding", "identity, deflate, gzip");
    const BodyPlan plan = server.handler->OnHead(request.head);
    plan.sink->Begin(server.bodies);
    plan.sink->OnBody(std::as_bytes(std::span(frame)));
    plan.sink->OnBodyEnd();
    plan.sink->Open(std::move(request), exchange.Open());
    plan.sink->Proceed();
  }
  Report(state, before);
}
BENCHMARK(BM_GrpcUnary)->Arg(100)->Arg(10'000)->Arg(1'000'000);

void AppendFrame(std::string& out, uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
  const auto size = static_cast<uint32_t>(payload.size());
  for (const uint32_t byte : {size >> 16, size >> 8, size, uint32_t{type}, uint32_t{flags}, stream >> 24, stream >> 16,
                              stream >> 8, stream}) {
    out += static_cast<char>(byte & 0xff);
  }
  out += payload;
}

// Returns an HPACK header field that is never indexed.
std::string Field(std::string_view name, std::string_view value) {
  std::string field("\0", 1);
  for (const std::string_view text : {name, value}) {
    field += static_cast<char>(text.size());
    field += text;
  }
  return field;
}

std::string CallFrames(uint32_t stream, std::string_view body) {
  std::string block = "\x83\x86";  // ":method: POST", ":scheme: http"
  block += Field(":path", "/inferd.test.Echo/Unary") + Field(":authority", "localhost") + Field("te", "trailers") +
           Field("content-type", "application/grpc") + Field("grpc-accept-encoding", "identity, deflate, gzip");
  std::string frames;
  AppendFrame(frames, 1, 4, stream, block);
  for (; body.size() > 16'384; body.remove_prefix(16'384)) AppendFrame(frames, 0, 0, stream, body.substr(0, 16'384));
  AppendFrame(frames, 0, 1, stream, body);
  return frames;
}

// Changes the frames to another stream.
void SetStream(std::string& frames, uint32_t stream) {
  for (size_t at = 0; at < frames.size();) {
    size_t size = 0;
    for (size_t i = 0; i < 3; ++i) size = size << 8 | static_cast<unsigned char>(frames[at + i]);
    for (size_t i = 0; i < 4; ++i) frames[at + 5 + i] = static_cast<char>(stream >> (24 - 8 * i) & 0xff);
    at += 9 + size;
  }
}

void BM_GrpcUnaryOverHttp2(benchmark::State& state) {
  FakeServer server;
  server.Serve(inferd::support::EchoMethods());
  FakeSessionHost host;
  host.fake_handler.plan = [&](const RequestHead& head) { return server.handler->OnHead(head); };
  std::string greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  // SETTINGS_INITIAL_WINDOW_SIZE and the connection's window, with their maximum values.
  AppendFrame(greeting, 4, 0, 0, std::string_view("\0\4\x7f\xff\xff\xff", 6));
  AppendFrame(greeting, 4, 1, 0, "");
  AppendFrame(greeting, 8, 0, 0, std::string_view("\x7f\xff\0\0", 4));
  const std::string body = Framed(std::string(static_cast<size_t>(state.range(0)), 'x'));
  std::string frames = CallFrames(1, body);
  std::unique_ptr<Session> session;
  uint32_t stream = 1;
  size_t sent = SIZE_MAX;
  const uint64_t before = allocations;
  for (auto _ : state) {
    if (sent > 1'000'000'000) {  // before the responses use up the connection's window
      session = http2::MakeSession(host);
      Feed(*session, greeting);
      stream = 1;
      sent = 0;
    }
    SetStream(frames, stream);
    Feed(*session, frames);
    const std::string out = TakeAll(*session);
    if (out.size() < body.size()) return state.SkipWithError("no answer");
    stream += 2;
    sent += out.size();
  }
  Report(state, before);
}
BENCHMARK(BM_GrpcUnaryOverHttp2)->Arg(100)->Arg(10'000)->Arg(1'000'000);

}  // namespace
}  // namespace inferd::net::grpc
