#include "data/tensorjson/write.h"

#include <benchmark/benchmark.h>

#include <charconv>
#include <random>
#include <string>
#include <vector>

// Compares each datatype with a bare loop of std::to_chars over the same values.

namespace inferd::tensorjson {
namespace {

using tensor::DataType;

const tensor::Shape kImage{1, 3, 224, 224};
constexpr size_t kImageElements = 3 * 224 * 224;

template <typename T>
std::vector<T> Uniform() {
  std::mt19937_64 random(1);
  std::vector<T> values(kImageElements);
  for (T& value : values) value = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
  return values;
}

template <typename T>
std::vector<T> Whole(int64_t from, int64_t to) {
  std::mt19937_64 random(1);
  std::vector<T> values(kImageElements);
  for (T& value : values) value = static_cast<T>(std::uniform_int_distribution<int64_t>(from, to)(random));
  return values;
}

template <typename T>
void Bare(benchmark::State& state, const std::vector<T>& values) {
  std::string text(kImageElements * 26, '\0');
  for (auto _ : state) {
    char* out = text.data();
    for (const T value : values) {
      out = std::to_chars(out, out + 25, value).ptr;
      *out++ = ',';
    }
    benchmark::DoNotOptimize(out);
  }
  state.SetItemsProcessed(static_cast<int64_t>(kImageElements * state.iterations()));
}

template <typename T>
void Write(benchmark::State& state, DataType type, const std::vector<T>& values) {
  for (auto _ : state) {
    json::Writer writer;
    if (!WriteData(writer, type, kImage, std::as_bytes(std::span(values))).ok()) state.SkipWithError("refused");
    benchmark::DoNotOptimize(writer.Take());
  }
  state.SetItemsProcessed(static_cast<int64_t>(kImageElements * state.iterations()));
}

BENCHMARK_CAPTURE(Bare, fp32, Uniform<float>());
BENCHMARK_CAPTURE(Write, fp32, DataType::kFp32, Uniform<float>());
BENCHMARK_CAPTURE(Bare, fp32_whole, Whole<float>(0, 255));
BENCHMARK_CAPTURE(Write, fp32_whole, DataType::kFp32, Whole<float>(0, 255));
BENCHMARK_CAPTURE(Bare, fp64, Uniform<double>());
BENCHMARK_CAPTURE(Write, fp64, DataType::kFp64, Uniform<double>());
BENCHMARK_CAPTURE(Bare, int32, Whole<int32_t>(-100'000, 100'000));
BENCHMARK_CAPTURE(Write, int32, DataType::kInt32, Whole<int32_t>(-100'000, 100'000));
BENCHMARK_CAPTURE(Bare, int64, Whole<int64_t>(INT64_MIN, INT64_MAX));
BENCHMARK_CAPTURE(Write, int64, DataType::kInt64, Whole<int64_t>(INT64_MIN, INT64_MAX));

}  // namespace
}  // namespace inferd::tensorjson
