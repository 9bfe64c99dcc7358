#include <benchmark/benchmark.h>

#include "net/http1/session.h"
#include "tests/support/fake_session_host.h"

namespace inferd::net::http1 {
namespace {

// A head as curl and Python's clients send it.
constexpr std::string_view kHead =
    "POST /v2/models/simple/infer HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nUser-Agent: python-requests/2.31.0\r\n"
    "Accept-Encoding: gzip, deflate\r\nAccept: */*\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n";

std::string RequestOf(size_t body_bytes) {
  return std::string(kHead) + "Content-Length: " + std::to_string(body_bytes) + "\r\n\r\n" +
         std::string(body_bytes, 'x');
}

void BM_ParseHead(benchmark::State& state) {
  const Limits limits;
  const std::string text = RequestOf(0);
  for (auto _ : state) {
    RequestHead head;
    benchmark::DoNotOptimize(ParseHead(text, limits, head));
  }
}
BENCHMARK(BM_ParseHead);

void BM_WriteHead(benchmark::State& state) {
  const HttpResponse response = HttpResponse::Text(200, "application/json", "{}");
  ResponseFraming framing;
  framing.content_length = 300;
  ResponseHeadWriter writer;
  std::string out;
  for (auto _ : state) {
    out.clear();
    writer.Write(response, framing, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_WriteHead);

// A request and its response through the session, as on a connection, without the system calls.
void BM_Exchange(benchmark::State& state) {
  FakeSessionHost host;
  host.fake_handler.answer = [](HttpRequest request, Reply reply) {
    HttpResponse response;
    response.content_type = "application/json";
    response.body.push_back(request.body);
    reply.Send(std::move(response));
  };
  Session session(host, nullptr);
  const std::string request = RequestOf(static_cast<size_t>(state.range(0)));
  std::vector<base::BufferSlice> out;
  for (auto _ : state) {
    Feed(session, request);
    const size_t bytes = session.TakeOutput(out, 1 << 20);
    benchmark::DoNotOptimize(out.data());
    out.clear();
    session.OnWritten(bytes);
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Exchange)->Arg(0)->Arg(300)->Arg(10'000)->Arg(600'000);

}  // namespace
}  // namespace inferd::net::http1
