#include <benchmark/benchmark.h>

#include "protocols/oip_grpc/service_fixture.h"

// Measures one inference in the service and the gRPC layer, without the transport and the engine: the `simple` model,
// two INT32 inputs and outputs of [1,16], raw.

namespace inferd::oip_grpc {
namespace {

std::string SimpleRequest() {
  inference::ModelInferRequest request;
  request.set_model_name("m");
  request.set_id("1");
  for (const char* name : {"INPUT0", "INPUT1"}) {
    auto& input = *request.add_inputs();
    input.set_name(name);
    input.set_datatype("INT32");
    input.add_shape(1);
    input.add_shape(16);
    request.add_raw_input_contents(std::string(64, '\1'));
  }
  for (const char* name : {"OUTPUT0", "OUTPUT1"}) request.add_outputs()->set_name(name);
  return net::grpc::Framed(request.SerializeAsString());
}

// Measures a call without any work.
void BM_OtherCall(benchmark::State& state) {
  TestService service;
  const std::string request = net::grpc::Framed("");
  for (auto _ : state) {
    auto call = service.Open("ServerLive");
    call->Bytes(request, true);
    service.server.loop.RunPosted();
    if (call->status() != "0") state.SkipWithError(call->message().c_str());
  }
}
BENCHMARK(BM_OtherCall);

void BM_ModelInfer(benchmark::State& state) {
  TestService service;
  const std::string request = SimpleRequest();
  for (auto _ : state) {
    auto call = service.Open("ModelInfer");
    call->Bytes(request, true);
    service.server.loop.RunPosted();
    if (call->status() != "0") state.SkipWithError(call->message().c_str());
  }
}
BENCHMARK(BM_ModelInfer);

void BM_ModelStreamInfer(benchmark::State& state) {
  TestService service;
  const std::string request = SimpleRequest();
  auto call = service.Open("ModelStreamInfer");
  for (auto _ : state) {
    call->body.clear();
    call->Bytes(request);
    if (call->body.empty()) state.SkipWithError("no response");
  }
}
BENCHMARK(BM_ModelStreamInfer);

}  // namespace
}  // namespace inferd::oip_grpc
