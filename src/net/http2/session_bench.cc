#include "net/http2/session.h"

#include <benchmark/benchmark.h>

#include <string>

#include "tests/support/fake_session_host.h"

// Measures HTTP/2 without sockets: one request read, delivered, answered and written.

namespace inferd::net::http2 {
namespace {

void AppendFrame(std::string& out, uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
  const auto size = static_cast<uint32_t>(payload.size());
  for (const uint32_t byte : {size >> 16, size >> 8, size, uint32_t{type}, uint32_t{flags}, stream >> 24, stream >> 16,
                              stream >> 8, stream}) {
    out += static_cast<char>(byte & 0xff);
  }
  out += payload;
}

std::string Greeting() {
  std::string greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  AppendFrame(greeting, 4, 0, 0, "");
  AppendFrame(greeting, 4, 1, 0, "");  // the client has seen our windows
  return greeting;
}

// POST /v2/models/simple/infer with a body, as in a client's second request (RFC 7541, literals without indexing).
std::string Post(std::string_view body) {
  constexpr uint32_t kStream = 1;
  std::string block("\x83\x86\x04\x17/v2/models/simple/infer\x01\x09localhost\x0f\x0d", 40);
  const std::string length = std::to_string(body.size());
  block += static_cast<char>(length.size());
  block += length;
  std::string frames;
  AppendFrame(frames, 1, 4, kStream, block);
  while (body.size() > 16384) {
    AppendFrame(frames, 0, 0, kStream, body.substr(0, 16384));
    body.remove_prefix(16384);
  }
  AppendFrame(frames, 0, 1, kStream, body);
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

void BM_Request(benchmark::State& state) {
  std::string request = Post(std::string(static_cast<size_t>(state.range(0)), 'x'));
  FakeSessionHost host;
  std::unique_ptr<Session> session;
  uint32_t stream = 0;
  for (auto _ : state) {
    if (session == nullptr || stream > 20'000) {  // before the responses use up the connection's window
      session = MakeSession(host);
      Feed(*session, Greeting());
      stream = 1;
    }
    SetStream(request, stream);
    Feed(*session, request);
    const std::string out = TakeAll(*session);
    benchmark::DoNotOptimize(out.data());
    stream += 2;
  }
  if (host.fake_handler.requests < static_cast<size_t>(state.iterations()))
    state.SkipWithError("requests were refused");
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Request)->Arg(100)->Arg(10'000)->Arg(1'000'000);

}  // namespace
}  // namespace inferd::net::http2
