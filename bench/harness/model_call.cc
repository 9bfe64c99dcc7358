#include "bench/harness/model_call.h"

#include <utility>

#include "bench/harness/infer_message.h"
#include "ctl/bench/load/http_load.h"
#include "ctl/infer_codec.h"
#include "ctl/input_value.h"
#include "ctl/v2_server.h"

namespace inferd::bench {

namespace {

using base::Result;

constexpr size_t kGrpcPrefixBytes = 5;

Result<std::vector<ctl::NamedTensor>> Inputs(const ModelCall& call, ctl::V2Server& server) {
  INFERD_ASSIGN_OR_RETURN(const ctl::ModelSignature model, server.Model(call.model, ""));
  ctl::InputTexts texts;
  texts.fill = "random";
  texts.shapes = call.shapes;
  return ctl::MakeInputs(model, texts);
}

Result<ctl::V2Server> OpenHttp(const Targets& targets) {
  net::HttpClient::Options options;
  options.url = targets.http.url;
  return ctl::V2Server::Open(std::move(options));
}

Result<LoadTarget> HttpTarget(const Target& target, const net::ClientRequest& request) {
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(target.url));
  return LoadTarget{target, url, ctl::HttpLoad(url, request)};
}

Result<LoadTarget> GrpcTarget(const Target& target, const ctl::GrpcCall& call) {
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(target.url));
  return LoadTarget{target, url, ctl::GrpcLoad(url, call)};
}

bool IsPredictRest(Wire wire) {
  return wire == Wire::kPredict || wire == Wire::kPredictReals || wire == Wire::kPredictWholes || IsKserve(wire);
}

Result<std::string> RestBody(Wire wire, const std::vector<ctl::NamedTensor>& inputs) {
  if (wire == Wire::kPredict) return PredictBody(inputs);
  return PredictRows(inputs, wire == Wire::kPredictWholes ? RowNumbers::kWholes : RowNumbers::kReals);
}

// Requests all outputs. All dimensions of the model except the batch must be fixed.
Result<TrtisRequest> TrtisOf(const ModelCall& call, const std::vector<ctl::NamedTensor>& inputs,
                             ctl::V2Server& server) {
  INFERD_ASSIGN_OR_RETURN(const ctl::ModelSignature model, server.Model(call.model, ""));
  return MakeTrtisRequest(call.model, inputs, model.outputs);
}

Result<net::ClientRequest> HttpRequest(const ModelCall& call, const std::vector<ctl::NamedTensor>& inputs,
                                       ctl::V2Server& server) {
  if (call.wire == Wire::kTrtis) {
    INFERD_ASSIGN_OR_RETURN(TrtisRequest request, TrtisOf(call, inputs, server));
    return net::ClientRequest{
        .method = "POST",
        .path = "/api/infer/" + call.model + "?format=binary",
        .headers = {{"Content-Type", "application/octet-stream"}, {"NV-InferRequest", std::move(request.header)}},
        .body = std::move(request.body)};
  }
  if (IsPredictRest(call.wire)) {
    INFERD_ASSIGN_OR_RETURN(std::string body, RestBody(call.wire, inputs));
    const bool versioned = call.versioned && !IsKserve(call.wire);
    net::ClientRequest request{.method = "POST",
                               .path = "/v1/models/" + call.model + (versioned ? "/versions/1" : "") + ":predict",
                               .headers = {{"Content-Type", "application/json"}},
                               .body = std::move(body)};
    if (call.wire == Wire::kKserveEvent) {
      for (const char* const name : {"ce-id", "ce-source", "ce-type"}) request.headers.emplace_back(name, "bench");
      request.headers.emplace_back("ce-specversion", "1.0");
    }
    return request;
  }
  ctl::InferOptions infer;
  infer.model = call.model;
  infer.wire = call.wire == Wire::kJson ? ctl::Wire::kJson : ctl::Wire::kBinary;
  return ctl::EncodeInfer(infer, inputs);
}

Result<PreparedCall> PrepareHttp(const ModelCall& call, const Targets& targets) {
  INFERD_ASSIGN_OR_RETURN(ctl::V2Server v2, OpenHttp(targets));
  INFERD_ASSIGN_OR_RETURN(const std::vector<ctl::NamedTensor> inputs, Inputs(call, v2));
  INFERD_ASSIGN_OR_RETURN(net::ClientRequest request, HttpRequest(call, inputs, v2));
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, v2.Call(request));

  PreparedCall prepared;
  prepared.request_bytes = request.body.size();
  INFERD_ASSIGN_OR_RETURN(prepared.server, HttpTarget(targets.http, request));
  request.path = "/v2/floor?bytes=" + std::to_string(response.body.size());
  if (targets.http_floor.has_value()) {
    INFERD_ASSIGN_OR_RETURN(prepared.floor, HttpTarget(*targets.http_floor, request));
  }
  if (targets.library_floor.has_value()) {
    INFERD_ASSIGN_OR_RETURN(prepared.library_floor, HttpTarget(*targets.library_floor, request));
  }
  return prepared;
}

Result<PreparedCall> PrepareGrpc(const ModelCall& what, const Targets& targets) {
  if (!targets.grpc.has_value()) return std::unexpected(base::InvalidArgument("no gRPC server to measure"));
  INFERD_ASSIGN_OR_RETURN(ctl::GrpcCall call, MakeGrpcCall(what, targets));
  if (what.wire == Wire::kStream) {
    call.path = "/inference.GRPCInferenceService/ModelStreamInfer";
    call.stream = true;
    call.answer_bytes = StreamMessageBytes(call.answer_bytes);
  }
  PreparedCall prepared;
  prepared.request_bytes = call.message.size();
  ctl::GrpcCall sent = call;
  // A response has the number of its request, which takes more bytes as it grows.
  if (what.wire == Wire::kTrtisGrpc) sent.answer_bytes = 0;
  INFERD_ASSIGN_OR_RETURN(prepared.server, GrpcTarget(*targets.grpc, sent));
  if (!targets.grpc_floor.has_value()) return prepared;
  call.path = (call.stream ? "/floor/Stream?bytes=" : "/floor/Unary?bytes=") + std::to_string(call.answer_bytes);
  INFERD_ASSIGN_OR_RETURN(prepared.floor, GrpcTarget(*targets.grpc_floor, call));
  return prepared;
}

}  // namespace

const char* WireName(Wire wire) {
  switch (wire) {
    case Wire::kJson: return "JSON";
    case Wire::kBinary: return "binary";
    case Wire::kGrpc: return "gRPC";
    case Wire::kStream: return "stream";
    case Wire::kPredict: return "predict";
    case Wire::kPredictReals: return "rows, reals";
    case Wire::kPredictWholes: return "rows, wholes";
    case Wire::kPredictGrpc: return "predict gRPC";
    case Wire::kTrtis: return "TRTIS";
    case Wire::kTrtisGrpc: return "TRTIS gRPC";
    case Wire::kKserve: return "V1 rows, reals";
    case Wire::kKserveEvent: return "V1 event, reals";
  }
  return "?";
}

Result<PreparedCall> Prepare(const ModelCall& call, const Targets& targets) {
  return IsGrpc(call.wire) ? PrepareGrpc(call, targets) : PrepareHttp(call, targets);
}

// Makes one call by another client, to learn the size of the response.
Result<ctl::GrpcCall> MakeGrpcCall(const ModelCall& what, const Targets& targets) {
  INFERD_ASSIGN_OR_RETURN(ctl::V2Server v2, OpenHttp(targets));
  INFERD_ASSIGN_OR_RETURN(const std::vector<ctl::NamedTensor> inputs, Inputs(what, v2));
  ctl::GrpcCall call;
  if (what.wire == Wire::kPredictGrpc) {
    call.path = "/tensorflow.serving.PredictionService/Predict";
    INFERD_ASSIGN_OR_RETURN(call.message, PredictMessage(what.model, inputs));
  } else if (what.wire == Wire::kTrtisGrpc) {
    call.path = "/nvidia.inferenceserver.GRPCService/Infer";
    INFERD_ASSIGN_OR_RETURN(TrtisRequest request, TrtisOf(what, inputs, v2));
    call.message = std::move(request.message);
  } else {
    call.path = "/inference.GRPCInferenceService/ModelInfer";
    call.message = InferMessage(what.model, inputs);
  }
  net::HttpClient::Options options;
  options.url = targets.grpc.value().url;
  options.http2 = true;
  INFERD_ASSIGN_OR_RETURN(const auto client, net::HttpClient::Create(std::move(options)));
  net::ClientRequest request{.method = "POST", .path = call.path, .headers = {}, .body = ctl::GrpcFrame(call.message)};
  request.headers = {{"te", "trailers"}, {"content-type", "application/grpc"}};
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, client->Call(request));
  if (response.body.size() < kGrpcPrefixBytes) {
    return std::unexpected(base::Unavailable(call.path + " of '" + what.model + "' has no answer: " +
                                             std::string(response.Find("grpc-message").value_or(""))));
  }
  call.answer_bytes = response.body.size() - kGrpcPrefixBytes;
  return call;
}

ctl::LoadOptions LoadOn(const LoadTarget& target) {
  ctl::LoadOptions load;
  load.url = target.url;
  load.protocol = target.protocol;
  load.server_pid = target.target.pid;
  return load;
}

std::optional<double> CpuUs(const ctl::LoadReport& report) {
  if (!report.server_cpu_ns.has_value() || report.completed == 0) return std::nullopt;
  return static_cast<double>(*report.server_cpu_ns) / static_cast<double>(report.completed) / 1000;
}

}  // namespace inferd::bench
