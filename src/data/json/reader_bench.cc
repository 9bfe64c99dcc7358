#include "data/json/reader.h"

#include <benchmark/benchmark.h>

namespace inferd::json {
namespace {

constexpr std::string_view kRequest =
    R"({"id":"42","inputs":[{"name":"INPUT0","shape":[1,16],"datatype":"INT32","data":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,)"
    R"(15,16]},{"name":"INPUT1","shape":[1,16],"datatype":"INT32","data":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}],)"
    R"("outputs":[{"name":"OUTPUT0"},{"name":"OUTPUT1","parameters":{"binary_data":false}}]})";

void SkipRequest(benchmark::State& state) {
  for (auto _ : state) {
    Reader reader(kRequest);
    if (!reader.SkipValue().ok() || !reader.Finish().ok()) state.SkipWithError("refused");
  }
  state.SetBytesProcessed(static_cast<int64_t>(kRequest.size() * state.iterations()));
}
BENCHMARK(SkipRequest);

void SkipStrings(benchmark::State& state) {
  std::string text = "[";
  for (int i = 0; i < 10'000; ++i) text += "\"a string of some words and an \xC3\xA9\",";
  text += "0]";
  for (auto _ : state) {
    Reader reader(text);
    if (!reader.SkipValue().ok()) state.SkipWithError("refused");
  }
  state.SetBytesProcessed(static_cast<int64_t>(text.size() * state.iterations()));
}
BENCHMARK(SkipStrings);

}  // namespace
}  // namespace inferd::json
