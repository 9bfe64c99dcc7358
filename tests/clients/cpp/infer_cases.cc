#include <chrono>
#include <string>
#include <thread>

#include "connection.h"
#include "oip/grpc_service.grpc.pb.h"

namespace inferd::clients {
namespace {

using ChannelPointer = std::shared_ptr<grpc::Channel>;

inference::ModelInferRequest Simple(const std::string& id) {
  inference::ModelInferRequest request;
  request.set_model_name("simple");
  request.set_id(id);
  for (const char* name : {"INPUT0", "INPUT1"}) {
    auto* input = request.add_inputs();
    input->set_name(name);
    input->set_datatype("INT32");
    input->add_shape(1);
    input->add_shape(16);
    for (int i = 0; i < 16; ++i) input->mutable_contents()->add_int_contents(i);
  }
  return request;
}

void ExpectSimple(const inference::ModelInferResponse& response, const std::string& id) {
  Expect(response.id() == id && response.raw_output_contents_size() == 2, "another answer");
  const auto* sums = reinterpret_cast<const int32_t*>(response.raw_output_contents(0).data());
  for (int i = 0; i < 16; ++i) Expect(sums[i] == 2 * i, "a wrong sum");
}

void Infer(const ChannelPointer& channel) {
  const auto stub = inference::GRPCInferenceService::NewStub(channel);
  for (int i = 0; i < 100; ++i) {
    grpc::ClientContext context;
    inference::ModelInferResponse response;
    ExpectOk(stub->ModelInfer(&context, Simple(std::to_string(i)), &response));
    ExpectSimple(response, std::to_string(i));
  }
}

void InferStream(const ChannelPointer& channel) {
  constexpr int kRequests = 2000;
  const auto stub = inference::GRPCInferenceService::NewStub(channel);
  grpc::ClientContext context;
  const auto stream = stub->ModelStreamInfer(&context);
  std::thread writer([&] {
    for (int i = 0; i < kRequests && stream->Write(Simple(std::to_string(i))); ++i) continue;
    stream->WritesDone();
  });
  int read = 0;
  bool in_order = true;
  for (inference::ModelStreamInferResponse answer; stream->Read(&answer); ++read) {
    in_order &= answer.infer_response().id() == std::to_string(read) && answer.error_message().empty();
  }
  writer.join();
  ExpectOk(stream->Finish());
  Expect(read == kRequests && in_order, "lost or out of order");
}

void InferErrors(const ChannelPointer& channel) {
  const auto stub = inference::GRPCInferenceService::NewStub(channel);
  inference::ModelInferResponse response;
  inference::ModelInferRequest unknown = Simple("u");
  unknown.set_model_name("nobody");
  grpc::ClientContext first;
  ExpectCode(stub->ModelInfer(&first, unknown, &response), grpc::StatusCode::NOT_FOUND);
  inference::ModelInferRequest partial = Simple("p");
  partial.mutable_inputs()->RemoveLast();
  grpc::ClientContext second;
  ExpectCode(stub->ModelInfer(&second, partial, &response), grpc::StatusCode::INVALID_ARGUMENT);
}

void InferDeadline(const ChannelPointer& channel) {
  const auto stub = inference::GRPCInferenceService::NewStub(channel);
  inference::ModelInferRequest request;
  request.set_model_name("endless");
  auto* input = request.add_inputs();
  input->set_name("INPUT");
  input->set_datatype("INT32");
  input->add_shape(1);
  input->mutable_contents()->add_int_contents(1);
  inference::ModelInferResponse response;
  grpc::ClientContext late;
  late.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  ExpectCode(stub->ModelInfer(&late, request, &response), grpc::StatusCode::DEADLINE_EXCEEDED);
  grpc::ClientContext cancelled;
  std::thread canceller([&] { cancelled.TryCancel(); });
  const grpc::Status status = stub->ModelInfer(&cancelled, request, &response);
  canceller.join();
  ExpectCode(status, grpc::StatusCode::CANCELLED);
  Infer(channel);
}

void Control(const ChannelPointer& channel) {
  const auto stub = inference::GRPCInferenceService::NewStub(channel);
  grpc::ClientContext first;
  inference::ServerReadyResponse ready;
  ExpectOk(stub->ServerReady(&first, {}, &ready));
  Expect(ready.ready(), "not ready");
  grpc::ClientContext second;
  inference::RepositoryIndexResponse index;
  ExpectOk(stub->RepositoryIndex(&second, {}, &index));
  Expect(index.models_size() >= 2, "models are missing from the index");
}

}  // namespace

Cases InferCases() {
  return {{"infer", Infer},
          {"infer_stream", InferStream},
          {"infer_errors", InferErrors},
          {"infer_deadline", InferDeadline},
          {"control", Control}};
}

}  // namespace inferd::clients
