#include "bench/table/shared_memory_table.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <utility>

#include "base/system/file_descriptor.h"
#include "bench/harness/display.h"
#include "bench/harness/infer_message.h"
#include "ctl/text/table.h"
#include "net/client/http_client.h"
#include "net/client/http_load.h"

namespace inferd::bench {

namespace {

using base::Result;
using base::Status;

constexpr int kRounds = 5;
constexpr const char* kRegion = "bench";

// A shared memory object that the server may know as kRegion.
class Region final {
 public:
  static Result<Region> Create(const std::string& url, size_t bytes) {
    Region region("/inferd-bench-" + std::to_string(getpid()));
    const base::FileDescriptor object(shm_open(region.key_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    if (!object || posix_fallocate(object.get(), 0, static_cast<off_t>(bytes)) != 0) {
      return std::unexpected(base::Unavailable("no shared memory"));
    }
    net::HttpClient::Options options;
    options.url = url;
    INFERD_ASSIGN_OR_RETURN(const auto client, net::HttpClient::Create(std::move(options)));
    const net::ClientRequest request{
        .method = "POST",
        .path = std::string("/v2/systemsharedmemory/region/") + kRegion + "/register",
        .headers = {},
        .body = R"({"key": ")" + region.key_ + R"(", "byte_size": )" + std::to_string(bytes) + "}"};
    INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, client->Call(request));
    if (response.status != 200) return std::unexpected(base::Unavailable(response.body));
    return region;
  }
  ~Region() {
    if (!key_.empty()) shm_unlink(key_.c_str());
  }
  Region(Region&& other) noexcept : key_(std::exchange(other.key_, {})) {}
  Region& operator=(Region&&) = delete;

 private:
  explicit Region(std::string key) : key_(std::move(key)) {}

  std::string key_;
};

// The input is the region's first half, the output its second.
std::string Body(const SharedMemoryCase& what) {
  const std::string bytes = std::to_string(static_cast<size_t>(what.elements) * sizeof(float));
  const std::string place = std::string(R"("parameters": {"shared_memory_region": ")") + kRegion +
                            R"(", "shared_memory_byte_size": )" + bytes;
  return R"({"inputs": [{"name": "INPUT0", "datatype": "FP32", "shape": [1, )" + std::to_string(what.elements) + "], " +
         place + R"(}}], "outputs": [{"name": "OUTPUT0", )" + place + R"(, "shared_memory_offset": )" + bytes + "}}]}";
}

Result<LoadTarget> InRegion(const SharedMemoryCase& what, Wire wire, const Targets& targets) {
  if (wire != Wire::kGrpc) {
    INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(targets.http.url));
    const net::ClientRequest request{.method = "POST",
                                     .path = "/v2/models/" + what.large + "/infer",
                                     .headers = {{"Content-Type", "application/json"}},
                                     .body = Body(what)};
    return LoadTarget{targets.http, url, net::HttpLoad(url, request)};
  }
  net::GrpcCall call;
  call.path = "/inference.GRPCInferenceService/ModelInfer";
  call.message = RegionMessage(what.large, kRegion, what.elements);
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(targets.grpc.value().url));
  return LoadTarget{*targets.grpc, url, net::GrpcLoad(url, call)};
}

// One of those that take turns.
struct Turn {
  std::string model;
  LoadTarget target;
  net::LoadReport report{};
  double engine_ns = 0;
};

// The small model; the large one in the region, and in bodies.
Result<std::array<Turn, 3>> Prepare(const SharedMemoryCase& what, Wire wire, const Targets& targets) {
  INFERD_ASSIGN_OR_RETURN(const PreparedCall small, Prepare(ModelCall{.model = what.small, .wire = wire}, targets));
  INFERD_ASSIGN_OR_RETURN(LoadTarget large, InRegion(what, wire, targets));
  const std::string shape = "INPUT0=1," + std::to_string(what.elements);
  INFERD_ASSIGN_OR_RETURN(const PreparedCall body,
                          Prepare(ModelCall{.model = what.large, .shapes = {shape}, .wire = wire}, targets));
  return std::array{Turn{.model = what.small, .target = small.server}, Turn{.model = what.large, .target = large},
                    Turn{.model = what.large, .target = body.server}};
}

// How often and how long the model was computed.
struct Computed {
  double count = 0;
  double ns = 0;
};
Result<Computed> ComputedBy(const std::string& model, const Targets& targets) {
  net::HttpClient::Options options;
  options.url = targets.http.url;
  INFERD_ASSIGN_OR_RETURN(const auto client, net::HttpClient::Create(std::move(options)));
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response,
                          client->Call({.path = "/v2/models/" + model + "/versions/1/stats"}));
  Computed computed;
  const size_t at = response.body.find("\"compute_infer\":");
  if (at == std::string::npos || std::sscanf(response.body.c_str() + at, R"("compute_infer":{"count":%lf,"ns":%lf)",
                                             &computed.count, &computed.ns) != 2) {
    return std::unexpected(base::Unavailable("no statistics: " + response.body));
  }
  return computed;
}

Status Measure(std::array<Turn, 3>& turns, size_t connections, const Timing& timing, const Targets& targets) {
  const Timing part{.warmup = timing.warmup / 4, .duration = timing.duration / kRounds};
  for (int round = 0; round < kRounds; ++round) {
    for (Turn& turn : turns) {
      INFERD_ASSIGN_OR_RETURN(const Computed before, ComputedBy(turn.model, targets));
      INFERD_ASSIGN_OR_RETURN(const net::LoadReport report, Saturate(turn.target, connections, part));
      INFERD_ASSIGN_OR_RETURN(const Computed after, ComputedBy(turn.model, targets));
      turn.engine_ns += (after.ns - before.ns) / (after.count - before.count) / kRounds;
      turn.report.Append(report);
    }
  }
  return base::OkStatus();
}

}  // namespace

Status PrintSharedMemoryTable(const Programs::Options& programs, const SharedMemoryCase& what) {
  Programs::Options started = programs;
  started.floors = false;
  started.models = {what.small, what.large};
  started.arguments.emplace_back("--client-shared-memory");
  INFERD_ASSIGN_OR_RETURN(const Programs server, Programs::Start(started));
  const Targets& targets = server.targets();
  const size_t bytes = static_cast<size_t>(what.elements) * sizeof(float);
  INFERD_ASSIGN_OR_RETURN(const Region region, Region::Create(targets.http.url, 2 * bytes));
  ctl::Table table({"WIRE", "CONN", "SMALL", "ENGINE", "REGION", "ENGINE", "RATIO", "BODY", "ENGINE"});
  for (const Wire wire : what.wires) {
    for (const size_t connections : what.connections) {
      ShowProgress(std::string(WireName(wire)) + " " + std::to_string(connections) + " ...");
      INFERD_ASSIGN_OR_RETURN(auto turns, Prepare(what, wire, targets));
      INFERD_RETURN_IF_ERROR(Measure(turns, connections, what.timing, targets));
      const auto cpu_us = [](const Turn& turn) { return CpuUs(turn.report).value_or(0); };
      const auto engine_us = [](const Turn& turn) { return turn.engine_ns / 1000; };
      const auto above_us = [&](const Turn& turn) { return cpu_us(turn) - engine_us(turn); };
      const auto& [small, large, body] = turns;
      table.Add({WireName(wire), std::to_string(connections), Number(cpu_us(small)), Number(engine_us(small)),
                 Number(cpu_us(large)), Number(engine_us(large)), Number(above_us(large) / above_us(small), "%.2f"),
                 Number(cpu_us(body)), Number(engine_us(body))});
    }
  }
  ShowProgress("");
  std::cout << table.AlignRight({1, 2, 3, 4, 5, 6, 7, 8}).ToString()
            << "\nMicroseconds of the server's CPU per request. SMALL: " << what.small
            << ". REGION and BODY: " << what.large << ", " << bytes
            << " bytes in and out,\nin shared memory of the client and in bodies. ENGINE: how long the engine computed "
               "these requests.\nRATIO: (REGION - ENGINE) / (SMALL - ENGINE).\n";
  return base::OkStatus();
}

}  // namespace inferd::bench
