#include "data/tensorjson/parse.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <random>
#include <string>

#include "data/tensorjson/nested_parser.h"

// Reports bytes of text per second.

namespace inferd::tensorjson {
namespace {

using tensor::DataType;
using tensor::Shape;

const Shape kImage{1, 3, 224, 224};
constexpr size_t kImageElements = 3 * 224 * 224;

// `print(buffer, random)` writes one element.
template <typename Print>
std::string Array(size_t count, Print print) {
  std::mt19937_64 random(1);
  std::string text = "[";
  char element[64];
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    print(element, random);
    text += element;
  }
  return text + "]";
}

double Uniform(std::mt19937_64& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }

void Run(benchmark::State& state, const std::string& text, DataType type) {
  for (auto _ : state) {
    json::Reader reader(text);
    auto parsed = ParseData(reader, type, kImage);
    if (!parsed.has_value()) state.SkipWithError(parsed.error().message().c_str());
    benchmark::DoNotOptimize(parsed);
  }
  state.SetBytesProcessed(static_cast<int64_t>(text.size() * state.iterations()));
}

void Digits17(benchmark::State& state, DataType type) {
  Run(state, Array(kImageElements, [](char* out, auto& random) { std::snprintf(out, 64, "%.17g", Uniform(random)); }),
      type);
}
BENCHMARK_CAPTURE(Digits17, fp32, DataType::kFp32);
BENCHMARK_CAPTURE(Digits17, fp64, DataType::kFp64);
BENCHMARK_CAPTURE(Digits17, fp16, DataType::kFp16);

void Digits9(benchmark::State& state) {
  Run(state, Array(kImageElements, [](char* out, auto& random) { std::snprintf(out, 64, "%.9g", Uniform(random)); }),
      DataType::kFp32);
}
BENCHMARK(Digits9);

// A normalised image, rounded to six places.
void Places6(benchmark::State& state) {
  Run(state, Array(kImageElements, [](char* out, auto& random) { std::snprintf(out, 64, "%.6g", Uniform(random)); }),
      DataType::kFp32);
}
BENCHMARK(Places6);

// The output of Python's json.dumps for a list: ", " between elements.
void Digits17Spaced(benchmark::State& state) {
  std::string text =
      Array(kImageElements, [](char* out, auto& random) { std::snprintf(out, 64, "%.17g", Uniform(random)); });
  for (size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 2)) text.insert(at + 1, " ");
  Run(state, text, DataType::kFp32);
}
BENCHMARK(Digits17Spaced);

void Pixels(benchmark::State& state, DataType type) {
  Run(state, Array(kImageElements, [](char* out, auto& random) { std::snprintf(out, 64, "%d", int(random() % 256)); }),
      type);
}
BENCHMARK_CAPTURE(Pixels, uint8, DataType::kUint8);
BENCHMARK_CAPTURE(Pixels, fp32, DataType::kFp32);

// The output of Python's json.dumps for an image's rows: a list for each pixel.
void PixelRows(benchmark::State& state, DataType type, const char* comma) {
  std::mt19937_64 random(1);
  std::string text = "[";
  for (int y = 0; y < 224; ++y) {
    text += y > 0 ? std::string(comma) + "[" : "[";
    for (int i = 0; i < 224 * 3; ++i) {
      text += i % 3 > 0 ? std::string(comma) : i > 0 ? "]" + std::string(comma) + "[" : "[";
      text += std::to_string(random() % 256);
    }
    text += "]]";
  }
  text += "]";
  for (auto _ : state) {
    NestedParser parser(type, kImageElements);
    if (const auto taken = parser.Add(text); !taken.has_value()) state.SkipWithError(taken.error().message().c_str());
    benchmark::DoNotOptimize(parser.Take());
  }
  state.SetBytesProcessed(static_cast<int64_t>(text.size() * state.iterations()));
}
BENCHMARK_CAPTURE(PixelRows, uint8, DataType::kUint8, ",");
BENCHMARK_CAPTURE(PixelRows, fp32, DataType::kFp32, ",");
BENCHMARK_CAPTURE(PixelRows, fp32_spaced, DataType::kFp32, ", ");

void LargeIntegers(benchmark::State& state) {
  Run(state,
      Array(kImageElements,
            [](char* out, auto& random) { std::snprintf(out, 64, "%lld", static_cast<long long>(random())); }),
      DataType::kInt64);
}
BENCHMARK(LargeIntegers);

void Strings(benchmark::State& state) {
  Run(state, Array(kImageElements, [](char* out, auto&) { std::snprintf(out, 64, "\"a string of some words\""); }),
      DataType::kBytes);
}
BENCHMARK(Strings);

void Skip(benchmark::State& state) {
  const std::string text =
      Array(kImageElements, [](char* out, auto& random) { std::snprintf(out, 64, "%.17g", Uniform(random)); });
  for (auto _ : state) {
    json::Reader reader(text);
    if (!reader.SkipValue().ok()) state.SkipWithError("refused");
  }
  state.SetBytesProcessed(static_cast<int64_t>(text.size() * state.iterations()));
}
BENCHMARK(Skip);

}  // namespace
}  // namespace inferd::tensorjson
