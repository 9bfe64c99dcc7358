// library_floor PORT MODEL FILE.onnx: an HTTP floor that calls ONNX Runtime's bare C API, and does nothing else. It
// takes a body's last bytes as one row of the model's input, without checks. It copies the rows of the requests that a
// loop reads in one turn into one batch, runs it, and answers each request like the floor. Its cost is the cost of a
// request before any code reads the body, plus the execution. Both run in one process and evict each other's data from
// the caches, so they cost more than the two alone.

#include <onnxruntime_c_api.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/engine_call/bare_session.h"
#include "bench/engine_call/require.h"
#include "bench/floor/gathering_handler.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file

constexpr size_t kRowsMax = 64;

class LibraryHandler final : public bench::GatheringHandler {
 public:
  explicit LibraryHandler(const bench::BareSession& session)
      : LibraryHandler(bench::BareSession::Caller(session, kRowsMax)) {}

 private:
  explicit LibraryHandler(bench::BareSession::Caller caller)
      : GatheringHandler(caller.row_bytes(), kRowsMax), caller_(std::move(caller)) {}

  void Execute(std::span<Waiting> requests) override {
    const size_t row_bytes = caller_.row_bytes();
    std::byte* row = caller_.input(0).data();
    for (const Waiting& one : requests) {
      const base::BufferSlice& body = one.request.body;
      row = std::copy_n(body.data() + body.size() - row_bytes, row_bytes, row);
    }
    caller_.Call(static_cast<int64_t>(requests.size()));
    for (Waiting& one : requests) AnswerOne(one);
  }

  bench::BareSession::Caller caller_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: library_floor PORT MODEL FILE.onnx\n");
    return 2;
  }
  const auto what = std::ranges::find(bench::Cases(), std::string(argv[2]), &bench::Case::model);
  bench::Require(what != bench::Cases().end() && what->inputs.size() == 1, "no such model of one input");
  const OrtApi* const ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtEnv* env = nullptr;
  bench::Require(ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "library_floor", &env) == nullptr, "no environment");
  int status = 0;
  {
    const bench::BareSession session(*ort, env, argv[3], *what, 1);
    status = bench::ServeFloor(argv[1], 0, [&](net::Loop&) { return std::make_unique<LibraryHandler>(session); });
  }
  ort->ReleaseEnv(env);
  return status;
}
