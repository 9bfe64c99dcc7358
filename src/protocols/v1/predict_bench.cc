#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "protocols/v1/predict_reader.h"
#include "protocols/v1/predict_writer.h"

// Measures the front-end per :predict, without the transport and the engine: half_plus_two with three rows, and one
// 1x224x224x3 FP32 image, nested as clients send it. Reports bytes of text per second.

namespace inferd::v1 {
namespace {

using tensor::DataType;

core::ModelSignature Signature(const tensor::Shape& shape, DataType type) {
  return {.inputs = {{.name = "x", .datatype = type, .shape = shape}}, .outputs = {}};
}

// `print(out, i)` writes element i.
template <typename Print>
std::string Image(std::string_view key, Print print) {
  std::string text = "{\"" + std::string(key) + "\": [[";
  char digits[32];
  for (int row = 0; row < 224; ++row) {
    text += row > 0 ? ", [" : "[";
    for (int column = 0; column < 224; ++column) {
      text += column > 0 ? ", [" : "[";
      for (int channel = 0; channel < 3; ++channel) {
        if (channel > 0) text += ", ";
        print(digits, (row * 224 + column) * 3 + channel);
        text += digits;
      }
      text += "]";
    }
    text += "]";
  }
  return text + "]]}";
}

double Uniform(int i) { return static_cast<double>((static_cast<unsigned>(i) * 2654435761u) % 1000003) / 1000003.0; }
void Digits17(char* out, int i) { std::snprintf(out, 32, "%.17g", Uniform(i)); }
void Digits9(char* out, int i) { std::snprintf(out, 32, "%.9g", Uniform(i)); }
void Pixels(char* out, int i) { std::snprintf(out, 32, "%d", i * 37 % 256); }

void Read(benchmark::State& state, const std::string& text, const core::ModelSignature& signature) {
  for (auto _ : state) {
    auto decoded = ReadPredict(text, signature);
    if (!decoded.has_value()) state.SkipWithError(decoded.error().message().c_str());
    benchmark::DoNotOptimize(decoded);
  }
  state.SetBytesProcessed(static_cast<int64_t>(text.size() * state.iterations()));
}

void ReadHalfPlusTwo(benchmark::State& state) {
  Read(state, R"({"instances": [1.0, 2.0, 5.0]})", Signature({-1}, DataType::kFp32));
}
BENCHMARK(ReadHalfPlusTwo);

void ReadImage(benchmark::State& state, std::string_view key, void (*print)(char*, int), DataType type) {
  Read(state, Image(key, print), Signature({-1, 224, 224, 3}, type));
}
BENCHMARK_CAPTURE(ReadImage, row_digits17, "instances", Digits17, DataType::kFp32);
BENCHMARK_CAPTURE(ReadImage, columnar_digits17, "inputs", Digits17, DataType::kFp32);
BENCHMARK_CAPTURE(ReadImage, row_digits9, "instances", Digits9, DataType::kFp32);
BENCHMARK_CAPTURE(ReadImage, row_pixels_fp32, "instances", Pixels, DataType::kFp32);
BENCHMARK_CAPTURE(ReadImage, row_pixels_uint8, "instances", Pixels, DataType::kUint8);

// As many rows as numbers.
void ReadScalarRows(benchmark::State& state) {
  std::string text = "{\"instances\": [";
  char digits[32];
  for (int i = 0; i < 100'000; ++i) {
    if (i > 0) text += ", ";
    Digits17(digits, i);
    text += digits;
  }
  Read(state, text + "]}", Signature({-1}, DataType::kFp32));
}
BENCHMARK(ReadScalarRows);

void ReadNamedRows(benchmark::State& state) {
  std::string text = "{\"instances\": [";
  for (int i = 0; i < 1'000; ++i) text += i > 0 ? R"(, {"x": [1.5, 2.5, 3.5, 4.5]})" : R"({"x": [1.5, 2.5, 3.5, 4.5]})";
  Read(state, text + "]}", Signature({-1, 4}, DataType::kFp32));
}
BENCHMARK(ReadNamedRows);

void Write(benchmark::State& state, const tensor::Shape& shape, float (*value)(int)) {
  core::InferResponse response;
  core::InferTensor& output = response.outputs.emplace_back();
  output.name = "y";
  output.datatype = DataType::kFp32;
  output.shape = shape;
  const auto count = static_cast<int>(shape.ElementCount().value());
  base::Buffer data = base::Buffer::Allocate(static_cast<size_t>(count) * sizeof(float));
  for (int i = 0; i < count; ++i) {
    const float element = value(i);
    std::memcpy(data.data() + static_cast<size_t>(i) * sizeof(float), &element, sizeof element);
  }
  output.data = base::BufferSlice(std::move(data));
  size_t bytes = 0;
  for (auto _ : state) {
    auto http = WritePredictions(response, true);
    if (!http.has_value()) state.SkipWithError(http.error().message().c_str());
    bytes = 0;
    for (const base::BufferSlice& piece : http->body) bytes += piece.size();
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes * state.iterations()));
}
BENCHMARK_CAPTURE(Write, three, {3}, [](int i) { return static_cast<float>(i) + 0.5f; });
BENCHMARK_CAPTURE(Write, image_of_random, {1, 224, 224, 3}, [](int i) { return static_cast<float>(Uniform(i)); });
BENCHMARK_CAPTURE(Write, image_of_few_digits, {1, 224, 224, 3},
                  [](int i) { return static_cast<float>(i % 1000) / 1000; });
BENCHMARK_CAPTURE(Write, image_of_whole_numbers, {1, 224, 224, 3}, [](int i) { return static_cast<float>(i % 256); });

}  // namespace
}  // namespace inferd::v1
