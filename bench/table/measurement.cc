#include "bench/table/measurement.h"

#include <cstdio>
#include <memory>
#include <sstream>
#include <utility>

#include "bench/table/infer_message.h"
#include "ctl/input_value.h"
#include "net/client/http_load.h"

namespace inferd::bench {

namespace {

using base::Result;

constexpr size_t kGrpcPrefixBytes = 5;

Result<std::vector<ctl::NamedTensor>> Inputs(const Case& what, ctl::V2Server& server) {
  INFERD_ASSIGN_OR_RETURN(const ctl::ModelSignature model, server.Model(what.model, ""));
  ctl::InputTexts texts;
  texts.fill = "random";
  texts.shapes = what.shapes;
  return ctl::MakeInputs(model, texts);
}

Result<ctl::V2Server> OpenHttp(const Targets& targets) {
  net::HttpClient::Options options;
  options.url = targets.http.url;
  return ctl::V2Server::Open(std::move(options));
}

Result<net::LoadReport> Load(const Target& target, const net::LoadProtocolFactory& protocol, size_t connections,
                             const Timing& timing) {
  net::LoadOptions load;
  INFERD_ASSIGN_OR_RETURN(load.url, net::ParseUrl(target.url));
  load.protocol = protocol;
  load.connections = connections;
  load.warmup = timing.warmup;
  load.duration = timing.duration;
  load.server_pid = target.pid;
  INFERD_ASSIGN_OR_RETURN(net::LoadReport report, net::RunLoad(load));
  if (report.refused + report.broken > 0 || report.answered == 0) {
    return std::unexpected(base::Unavailable(target.url + " failed " + std::to_string(report.refused + report.broken) +
                                             " requests: " + report.first_error));
  }
  return report;
}

Result<Row> MeasureHttp(const Case& what, const Targets& targets, const Timing& timing) {
  INFERD_ASSIGN_OR_RETURN(ctl::V2Server v2, OpenHttp(targets));
  INFERD_ASSIGN_OR_RETURN(const std::vector<ctl::NamedTensor> inputs, Inputs(what, v2));
  ctl::InferOptions infer;
  infer.model = what.model;
  infer.wire = what.wire == Wire::kJson ? ctl::Wire::kJson : ctl::Wire::kBinary;
  INFERD_ASSIGN_OR_RETURN(net::ClientRequest request, ctl::EncodeInfer(infer, inputs));
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, v2.Call(request));

  Row row{.what = what, .server = {}, .floor = {}};
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(targets.http.url));
  INFERD_ASSIGN_OR_RETURN(row.server, Load(targets.http, net::HttpLoad(url, request), what.connections, timing));
  if (!targets.http_floor.has_value()) return row;
  request.path = "/v2/floor?bytes=" + std::to_string(response.body.size());
  INFERD_ASSIGN_OR_RETURN(const net::Url floor, net::ParseUrl(targets.http_floor->url));
  INFERD_ASSIGN_OR_RETURN(row.floor,
                          Load(*targets.http_floor, net::HttpLoad(floor, request), what.connections, timing));
  return row;
}

Result<Row> MeasureGrpc(const Case& what, const Targets& targets, const Timing& timing) {
  if (!targets.grpc.has_value()) return std::unexpected(base::InvalidArgument("no gRPC server to measure"));
  INFERD_ASSIGN_OR_RETURN(net::GrpcCall call, MakeGrpcCall(what, targets));
  if (what.wire == Wire::kStream) {
    call.path = "/inference.GRPCInferenceService/ModelStreamInfer";
    call.stream = true;
    call.answer_bytes = StreamMessageBytes(call.answer_bytes);
  }
  Row row{.what = what, .server = {}, .floor = {}};
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(targets.grpc->url));
  INFERD_ASSIGN_OR_RETURN(row.server, Load(*targets.grpc, net::GrpcLoad(url, call), what.connections, timing));
  if (!targets.grpc_floor.has_value()) return row;
  call.path = (call.stream ? "/floor/Stream?bytes=" : "/floor/Unary?bytes=") + std::to_string(call.answer_bytes);
  INFERD_ASSIGN_OR_RETURN(const net::Url floor, net::ParseUrl(targets.grpc_floor->url));
  INFERD_ASSIGN_OR_RETURN(row.floor, Load(*targets.grpc_floor, net::GrpcLoad(floor, call), what.connections, timing));
  return row;
}

}  // namespace

const char* WireName(Wire wire) {
  switch (wire) {
    case Wire::kJson: return "JSON";
    case Wire::kBinary: return "binary";
    case Wire::kGrpc: return "gRPC";
    case Wire::kStream: return "stream";
  }
  return "?";
}

Result<Row> Measure(const Case& what, const Targets& targets, const Timing& timing) {
  return IsGrpc(what.wire) ? MeasureGrpc(what, targets, timing) : MeasureHttp(what, targets, timing);
}

// One call by another client tells how long the answer is.
Result<net::GrpcCall> MakeGrpcCall(const Case& what, const Targets& targets) {
  INFERD_ASSIGN_OR_RETURN(ctl::V2Server v2, OpenHttp(targets));
  INFERD_ASSIGN_OR_RETURN(const std::vector<ctl::NamedTensor> inputs, Inputs(what, v2));
  net::GrpcCall call{.path = "/inference.GRPCInferenceService/ModelInfer", .message = InferMessage(what.model, inputs)};
  net::HttpClient::Options options;
  options.url = targets.grpc.value().url;
  options.http2 = true;
  INFERD_ASSIGN_OR_RETURN(const auto client, net::HttpClient::Create(std::move(options)));
  net::ClientRequest request{.method = "POST", .path = call.path, .headers = {}, .body = net::GrpcFrame(call.message)};
  request.headers = {{"te", "trailers"}, {"content-type", "application/grpc"}};
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, client->Call(request));
  if (response.body.size() < kGrpcPrefixBytes) {
    return std::unexpected(base::Unavailable("ModelInfer of '" + what.model + "' has no answer: " +
                                             std::string(response.Find("grpc-message").value_or(""))));
  }
  call.answer_bytes = response.body.size() - kGrpcPrefixBytes;
  return call;
}

std::map<std::string, double> EngineCosts(const std::string& command) {
  std::map<std::string, double> costs;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  if (pipe == nullptr) return costs;
  char line[256];
  while (std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    std::istringstream fields(line);
    std::string model;
    double engine_us = 0, two_threads_us = 0, bare_us = 0;
    if (fields >> model >> engine_us >> two_threads_us >> bare_us) costs[model] = bare_us;
  }
  return costs;
}

std::optional<double> CpuUs(const net::LoadReport& report) {
  if (!report.server_cpu_ns.has_value() || report.answered == 0) return std::nullopt;
  return static_cast<double>(*report.server_cpu_ns) / static_cast<double>(report.answered) / 1000;
}

}  // namespace inferd::bench
