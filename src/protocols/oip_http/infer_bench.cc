#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "protocols/oip_http/codec/infer_request_reader.h"
#include "protocols/oip_http/codec/infer_response_writer.h"

// Measures the front-end per request, without the transport and the engine. The `simple` model: two INT32 inputs and
// two outputs of [1,16]; and one 1x3x224x224 FP32 image.

namespace inferd::oip_http {
namespace {

base::BufferSlice SliceOf(std::string_view bytes) { return base::BufferSlice(base::Buffer::CopyOf(bytes)); }

std::string SimpleJson() {
  std::string values;
  for (int i = 0; i < 16; ++i) values += (i == 0 ? "" : ",") + std::to_string(i * 37);
  const auto input = [&](const char* name) {
    return R"({"name":")" + std::string(name) + R"(","shape":[1,16],"datatype":"INT32","data":[)" + values + "]}";
  };
  return R"({"id":"1","inputs":[)" + input("INPUT0") + "," + input("INPUT1") +
         R"(],"outputs":[{"name":"OUTPUT0"},{"name":"OUTPUT1"}]})";
}

std::string SimpleBinaryHeader() {
  const auto input = [&](const char* name) {
    return R"({"name":")" + std::string(name) +
           R"(","shape":[1,16],"datatype":"INT32","parameters":{"binary_data_size":64}})";
  };
  return R"({"id":"1","inputs":[)" + input("INPUT0") + "," + input("INPUT1") +
         R"(],"outputs":[{"name":"OUTPUT0","parameters":{"binary_data":true}},)"
         R"({"name":"OUTPUT1","parameters":{"binary_data":true}}]})";
}

std::string ImageJson() {
  std::string text = R"({"inputs":[{"name":"x","shape":[1,3,224,224],"datatype":"FP32","data":[)";
  char digits[32];
  for (int i = 0; i < 3 * 224 * 224; ++i) {
    if (i > 0) text += ',';
    const double value = static_cast<double>((i * 2654435761u) % 1000003) / 1000003.0;
    text.append(digits, static_cast<size_t>(std::snprintf(digits, sizeof digits, "%.17g", value)));
  }
  return text + "]}]}";
}

core::InferTensor Output(std::string name, tensor::DataType datatype, tensor::Shape shape, size_t bytes) {
  core::InferTensor tensor;
  tensor.name = std::move(name);
  tensor.datatype = datatype;
  tensor.shape = std::move(shape);
  base::Buffer data = base::Buffer::Allocate(bytes);
  for (size_t i = 0; i + 4 <= bytes; i += 4) {
    const float value = 1.0f / static_cast<float>(i + 3);
    std::memcpy(data.data() + i, &value, sizeof value);
  }
  tensor.data = base::BufferSlice(std::move(data));
  return tensor;
}

core::InferResponse SimpleResponse() {
  core::InferResponse response;
  response.model_name = "simple";
  response.model_version = "1";
  response.id = "1";
  response.outputs.push_back(Output("OUTPUT0", tensor::DataType::kInt32, {1, 16}, 64));
  response.outputs.push_back(Output("OUTPUT1", tensor::DataType::kInt32, {1, 16}, 64));
  return response;
}

void Read(benchmark::State& state, const std::string& json, size_t binary_bytes) {
  const base::BufferSlice body = SliceOf(json + std::string(binary_bytes, '\1'));
  for (auto _ : state) {
    auto decoded = ReadInferRequest(body, json.size(), true, "simple");
    if (!decoded.has_value()) state.SkipWithError(decoded.error().ToString().c_str());
    benchmark::DoNotOptimize(decoded);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * body.size()));
}

void BM_ReadSimpleJson(benchmark::State& state) { Read(state, SimpleJson(), 0); }
void BM_ReadSimpleBinary(benchmark::State& state) { Read(state, SimpleBinaryHeader(), 128); }
void BM_ReadImageJson(benchmark::State& state) { Read(state, ImageJson(), 0); }
BENCHMARK(BM_ReadSimpleJson);
BENCHMARK(BM_ReadSimpleBinary);
BENCHMARK(BM_ReadImageJson);

void Write(benchmark::State& state, const core::InferResponse& response, bool binary) {
  const core::ModelSignature signature;
  const Options options;
  v2::OutputForms forms;
  forms.forms.resize(response.outputs.size(), {.binary = binary});
  int64_t bytes = 0;
  for (auto _ : state) {
    auto http = WriteInferResponse(core::InferResponse(response), forms, signature, options);
    if (!http.has_value()) state.SkipWithError(http.error().ToString().c_str());
    for (const auto& piece : http->body) bytes += static_cast<int64_t>(piece.size());
  }
  state.SetBytesProcessed(bytes);
}

void BM_WriteSimpleJson(benchmark::State& state) { Write(state, SimpleResponse(), false); }
void BM_WriteSimpleBinary(benchmark::State& state) { Write(state, SimpleResponse(), true); }
void BM_WriteImageJson(benchmark::State& state) {
  core::InferResponse response;
  response.outputs.push_back(Output("y", tensor::DataType::kFp32, {1, 3, 224, 224}, 3 * 224 * 224 * 4));
  Write(state, response, false);
}
BENCHMARK(BM_WriteSimpleJson);
BENCHMARK(BM_WriteSimpleBinary);
BENCHMARK(BM_WriteImageJson);

}  // namespace
}  // namespace inferd::oip_http
