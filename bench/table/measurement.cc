#include "bench/table/measurement.h"

#include <cstdio>
#include <memory>
#include <sstream>

#include "ctl/input_value.h"
#include "net/client/http_load.h"

namespace inferd::bench {

namespace {

using base::Result;

Result<net::LoadReport> Load(const Target& target, const net::ClientRequest& request, size_t connections,
                             const Timing& timing) {
  net::LoadOptions load;
  INFERD_ASSIGN_OR_RETURN(load.url, net::ParseUrl(target.url));
  load.protocol = net::HttpLoad(load.url, request);
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

}  // namespace

Result<Row> Measure(const Case& what, const Target& server, const std::optional<Target>& floor, const Timing& timing) {
  net::HttpClient::Options options;
  options.url = server.url;
  INFERD_ASSIGN_OR_RETURN(ctl::V2Server v2, ctl::V2Server::Open(std::move(options)));
  INFERD_ASSIGN_OR_RETURN(const ctl::ModelSignature model, v2.Model(what.model, ""));
  ctl::InputTexts texts;
  texts.fill = "random";
  INFERD_ASSIGN_OR_RETURN(const std::vector<ctl::NamedTensor> inputs, ctl::MakeInputs(model, texts));
  ctl::InferOptions infer;
  infer.model = what.model;
  infer.wire = what.wire;
  INFERD_ASSIGN_OR_RETURN(net::ClientRequest request, ctl::EncodeInfer(infer, inputs));
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, v2.Call(request));

  Row row{.what = what, .server = {}, .floor = {}};
  INFERD_ASSIGN_OR_RETURN(row.server, Load(server, request, what.connections, timing));
  if (floor.has_value()) {
    request.path = "/v2/floor?bytes=" + std::to_string(response.body.size());
    INFERD_ASSIGN_OR_RETURN(row.floor, Load(*floor, request, what.connections, timing));
  }
  return row;
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
