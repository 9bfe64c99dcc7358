#include <benchmark/benchmark.h>

#include <string>

#include "protocols/tfs_grpc/codec/predict_request_reader.h"
#include "protocols/tfs_grpc/codec/predict_response_writer.h"
#include "protocols/tfs_grpc/service_fixture.h"
#include "tfs/prediction_service.pb.h"

// Measures the codec per request, in comparison with the generated classes: half_plus_two's one float, and one tensor
// of 1 MB; and one Predict in the service and the gRPC layer, without the transport and the engine.

namespace inferd::tfs_grpc {
namespace {

using Message = tensorflow::serving::PredictRequest;

constexpr int kMegabyte = 1 << 20;
constexpr uint64_t kFillMax = 1 << 20;

core::ModelSignature Signature() {
  core::ModelSignature signature;
  signature.inputs = {{.name = "x", .datatype = tensor::DataType::kFp32, .shape = {-1}}};
  return signature;
}

Message Request(tensorflow::DataType dtype, int elements) {
  Message request;
  request.mutable_model_spec()->set_name("half_plus_two");
  auto& tensor = (*request.mutable_inputs())["x"];
  tensor.set_dtype(dtype);
  tensor.mutable_tensor_shape()->add_dim()->set_size(elements);
  return request;
}

Message Floats(int elements) {
  Message request = Request(tensorflow::DT_FLOAT, elements);
  for (int i = 0; i < elements; ++i) request.mutable_inputs()->at("x").add_float_val(1.0f / static_cast<float>(i + 1));
  return request;
}

Message Content(int elements) {
  Message request = Request(tensorflow::DT_FLOAT, elements);
  request.mutable_inputs()->at("x").set_tensor_content(std::string(static_cast<size_t>(elements) * 4, 1));
  return request;
}

Message Integers(int elements) {
  Message request = Request(tensorflow::DT_INT32, elements);
  for (int i = 0; i < elements; ++i) request.mutable_inputs()->at("x").add_int_val(i * 7919 % 1000000);
  return request;
}

void Read(benchmark::State& state, const Message& request) {
  const base::BufferSlice bytes(base::Buffer::CopyOf(request.SerializeAsString()));
  const core::ModelSignature signature = Signature();
  for (auto _ : state) {
    auto decoded = ReadPredictRequest(bytes, signature, kFillMax);
    if (!decoded.has_value()) state.SkipWithError(decoded.error().ToString().c_str());
    benchmark::DoNotOptimize(decoded);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes.size()));
}

void Generated(benchmark::State& state, const Message& request) {
  const std::string bytes = request.SerializeAsString();
  for (auto _ : state) {
    Message parsed;
    benchmark::DoNotOptimize(parsed.ParseFromString(bytes));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes.size()));
}

// The copy of the response for each round is part of the time.
void Write(benchmark::State& state, const Message& request, bool tensor_content) {
  auto decoded =
      ReadPredictRequest(base::BufferSlice(base::Buffer::CopyOf(request.SerializeAsString())), Signature(), kFillMax);
  core::InferResponse response;
  response.model_name = "half_plus_two";
  response.model_version = "1";
  for (core::InferTensor& input : (*decoded)->inputs) response.outputs.push_back(std::move(input));
  size_t bytes = 0;
  for (auto _ : state) {
    auto written = WritePredictResponse(response, tensor_content);
    if (!written.has_value()) state.SkipWithError(written.error().ToString().c_str());
    bytes = 0;
    for (const auto& piece : *written) bytes += piece.size();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

void Predict(benchmark::State& state) {
  TestService service;
  const std::string framed = net::grpc::Framed(PredictRequest().SerializeAsString());
  for (auto _ : state) {
    auto call = service.Open("Predict");
    call->Bytes(framed, true);
    service.server.loop.RunPosted();
    if (call->status() != "0") state.SkipWithError(call->message().c_str());
  }
}

BENCHMARK_CAPTURE(Read, one_float, Floats(1));
BENCHMARK_CAPTURE(Read, content_1mb, Content(kMegabyte / 4));
BENCHMARK_CAPTURE(Read, float_val_1mb, Floats(kMegabyte / 4));
BENCHMARK_CAPTURE(Read, int_val_1mb, Integers(kMegabyte / 4));
BENCHMARK_CAPTURE(Generated, one_float, Floats(1));
BENCHMARK_CAPTURE(Generated, content_1mb, Content(kMegabyte / 4));
BENCHMARK_CAPTURE(Generated, float_val_1mb, Floats(kMegabyte / 4));
BENCHMARK_CAPTURE(Generated, int_val_1mb, Integers(kMegabyte / 4));
BENCHMARK_CAPTURE(Write, one_float, Floats(1), false);
BENCHMARK_CAPTURE(Write, content_1mb, Content(kMegabyte / 4), true);
BENCHMARK_CAPTURE(Write, int_val_1mb, Integers(kMegabyte / 4), false);
BENCHMARK(Predict);

}  // namespace
}  // namespace inferd::tfs_grpc
