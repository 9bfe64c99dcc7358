#include "bench/table/shared_memory_table.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "base/system/file_descriptor.h"
#include "bench/harness/display.h"
#include "bench/harness/infer_message.h"
#include "bench/harness/onnx_file.h"
#include "bench/harness/scratch_repository.h"
#include "ctl/bench/load/http_load.h"
#include "ctl/text/table.h"
#include "net/client/http_client.h"

namespace inferd::bench {

namespace {

using base::Result;
using base::Status;

constexpr int kRounds = 5;
constexpr const char* kRegion = "bench";

// The large model, in the benchmark's own repository. It is configured to run always on the connections' threads, where
// the small model also runs. Its execution takes about 100 us, a length for which the server would otherwise decide
// each time whether to hand it over.
constexpr const char* kLarge = "large";
constexpr const char* kLargeConfig = R"(
platform: "onnxruntime_onnx"
dynamic_batching { }
inferd { inline_execution: ALWAYS }
)";

Status AddLarge(const ScratchRepository& repository, const std::string& models, const std::string& model) {
  return repository.Add(kLarge, std::filesystem::path(models) / model / "1" / "model.onnx", kLargeConfig);
}

// A model with a small request and a small answer, whose engine reads as many bytes as the large model's. So it leaves
// equally little of the server's data in the core's caches.
constexpr const char* kSweeping = "sweeping";
constexpr int64_t kSweepingWidth = 16;
constexpr const char* kSweepingConfig = R"(
platform: "onnxruntime_onnx"
parameters { key: "intra_op_thread_count" value { string_value: "1" } }
dynamic_batching { }
inferd { inline_execution: ALWAYS }
)";

Status AddSweeping(const ScratchRepository& repository, size_t bytes) {
  const std::filesystem::path file = std::filesystem::path(repository.folder()) / "sweeping.onnx";
  // Two layers: from this width to the hidden one and back.
  const auto hidden = static_cast<int64_t>(bytes / (2 * kSweepingWidth * sizeof(float)));
  INFERD_RETURN_IF_ERROR(WriteDenseModel(file, {kSweepingWidth, hidden, kSweepingWidth}));
  return repository.Add(kSweeping, file, kSweepingConfig);
}

// A shared memory object, which can be registered at the server as kRegion.
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

// Returns a request whose input is the region's first half, and whose output is the second half.
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
                                     .path = std::string("/v2/models/") + kLarge + "/infer",
                                     .headers = {{"Content-Type", "application/json"}},
                                     .body = Body(what)};
    return LoadTarget{targets.http, url, ctl::HttpLoad(url, request)};
  }
  ctl::GrpcCall call;
  call.path = "/inference.GRPCInferenceService/ModelInfer";
  call.message = RegionMessage(kLarge, kRegion, what.elements);
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(targets.grpc.value().url));
  return LoadTarget{*targets.grpc, url, ctl::GrpcLoad(url, call)};
}

// The number of a model's executions, and their total time.
struct Computed {
  double count = 0;
  double ns = 0;
};

// One of the loads that run in turns.
struct Turn {
  LoadTarget target;
  std::function<Result<Computed>()> computed;  // returns the total until now
  ctl::LoadReport report{};
  double engine_ns = 0;
};

Result<std::string> Get(const std::string& url, const std::string& path) {
  net::HttpClient::Options options;
  options.url = url;
  INFERD_ASSIGN_OR_RETURN(const auto client, net::HttpClient::Create(std::move(options)));
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, client->Call({.path = path}));
  return response.body;
}

Result<Computed> ComputedBy(const std::string& model, const Targets& targets) {
  INFERD_ASSIGN_OR_RETURN(const std::string body, Get(targets.http.url, "/v2/models/" + model + "/versions/1/stats"));
  Computed computed;
  const size_t at = body.find("\"compute_infer\":");
  if (at == std::string::npos ||
      std::sscanf(body.c_str() + at, R"("compute_infer":{"count":%lf,"ns":%lf)", &computed.count, &computed.ns) != 2) {
    return std::unexpected(base::Unavailable("no statistics: " + body));
  }
  return computed;
}

Result<Computed> CopiedBy(const Target& floor) {
  INFERD_ASSIGN_OR_RETURN(const std::string body, Get(floor.url, "/copied"));
  Computed computed;
  if (std::sscanf(body.c_str(), "%lf %lf", &computed.count, &computed.ns) == 2) return computed;
  return std::unexpected(base::Unavailable("the floor says: " + body));
}

// Returns a load on the floor, which only copies the bytes, with an answer of the server's size.
Result<LoadTarget> CopyingFloor(const SharedMemoryCase& what, const Targets& targets) {
  constexpr size_t kAnswerBytes = 250;  // about the size of the server's answer
  const Target& floor = targets.http_floor.value();
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(floor.url));
  const std::string bytes = std::to_string(static_cast<size_t>(what.elements) * sizeof(float));
  const net::ClientRequest request{.method = "POST",
                                   .path = "/v2/floor?bytes=" + std::to_string(kAnswerBytes) + "&copy=" + bytes,
                                   .headers = {{"Content-Type", "application/json"}},
                                   .body = Body(what)};
  return LoadTarget{floor, url, ctl::HttpLoad(url, request)};
}

// The loads: the small model; the large model with tensors in the region, and in bodies; the model that sweeps the
// caches; over HTTP also the floor, without a copy and with one.
enum Turns : size_t { kSmall, kRegionTurn, kBody, kSwept, kFloor, kFloorCopy };

Result<std::vector<Turn>> Prepare(const SharedMemoryCase& what, Wire wire, const Targets& targets) {
  INFERD_ASSIGN_OR_RETURN(const PreparedCall small, Prepare(ModelCall{.model = what.small, .wire = wire}, targets));
  INFERD_ASSIGN_OR_RETURN(LoadTarget large, InRegion(what, wire, targets));
  const std::string shape = "INPUT0=1," + std::to_string(what.elements);
  INFERD_ASSIGN_OR_RETURN(const PreparedCall body,
                          Prepare(ModelCall{.model = kLarge, .shapes = {shape}, .wire = wire}, targets));
  const std::string swept_shape = "x=1," + std::to_string(kSweepingWidth);
  INFERD_ASSIGN_OR_RETURN(const PreparedCall swept,
                          Prepare(ModelCall{.model = kSweeping, .shapes = {swept_shape}, .wire = wire}, targets));
  const auto by = [&targets](const std::string& model) {
    return [&targets, model] { return ComputedBy(model, targets); };
  };
  std::vector<Turn> turns;
  turns.push_back({.target = small.server, .computed = by(what.small)});
  turns.push_back({.target = large, .computed = by(kLarge)});
  turns.push_back({.target = body.server, .computed = by(kLarge)});
  turns.push_back({.target = swept.server, .computed = by(kSweeping)});
  if (wire == Wire::kGrpc) return turns;
  INFERD_ASSIGN_OR_RETURN(LoadTarget copying, CopyingFloor(what, targets));
  turns.push_back({.target = small.floor.value(), .computed = [] { return Computed(); }});
  turns.push_back({.target = copying, .computed = [&targets] { return CopiedBy(*targets.http_floor); }});
  return turns;
}

Status Measure(std::vector<Turn>& turns, size_t connections, const Timing& timing) {
  return TakeTurns(turns.size(), kRounds, timing, [&](size_t i, const Timing& part) -> Status {
    Turn& turn = turns[i];
    INFERD_ASSIGN_OR_RETURN(const Computed before, turn.computed());
    INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport report, Saturate(turn.target, connections, part));
    INFERD_ASSIGN_OR_RETURN(const Computed after, turn.computed());
    if (after.count > before.count) turn.engine_ns += (after.ns - before.ns) / (after.count - before.count) / kRounds;
    turn.report.Append(report);
    return base::OkStatus();
  });
}

double EngineUs(const Turn& turn) { return turn.engine_ns / 1000; }
double AboveUs(const Turn& turn) { return CpuUs(turn.report).value_or(0) - EngineUs(turn); }

std::vector<std::string> RowOf(Wire wire, size_t connections, const std::vector<Turn>& turns) {
  std::vector<std::string> row = {WireName(wire), std::to_string(connections)};
  for (const Turns turn : {kSmall, kRegionTurn, kSwept}) {
    row.push_back(Number(CpuUs(turns[turn].report)));
    row.push_back(Number(EngineUs(turns[turn])));
    if (turn != kSmall) row.push_back(Number(AboveUs(turns[turn]) / AboveUs(turns[kSmall]), "%.2f"));
  }
  row.push_back(Number(CpuUs(turns[kBody].report)));
  std::optional<double> floor_us;
  std::optional<double> copy_us;
  std::optional<double> engine_us;
  std::optional<double> ratio;
  if (turns.size() > kFloorCopy) {
    floor_us = CpuUs(turns[kFloor].report);
    copy_us = CpuUs(turns[kFloorCopy].report);
    engine_us = EngineUs(turns[kFloorCopy]);
    ratio = AboveUs(turns[kFloorCopy]) / AboveUs(turns[kFloor]);
  }
  for (const auto& number : {floor_us, copy_us, engine_us}) row.push_back(Number(number));
  row.push_back(Number(ratio, "%.2f"));
  return row;
}

}  // namespace

Status PrintSharedMemoryTable(const Programs::Options& programs, const SharedMemoryCase& what) {
  const size_t bytes = static_cast<size_t>(what.elements) * sizeof(float);
  INFERD_ASSIGN_OR_RETURN(const ScratchRepository repository, ScratchRepository::Create());
  INFERD_RETURN_IF_ERROR(AddLarge(repository, programs.repository, what.large));
  INFERD_RETURN_IF_ERROR(AddSweeping(repository, 2 * bytes));
  Programs::Options started = programs;
  started.models = {what.small, kLarge, kSweeping};
  started.arguments.emplace_back("--client-shared-memory");
  started.arguments.push_back("--model-repository=" + repository.folder());
  INFERD_ASSIGN_OR_RETURN(const Programs server, Programs::Start(started));
  const Targets& targets = server.targets();
  INFERD_ASSIGN_OR_RETURN(const Region region, Region::Create(targets.http.url, 2 * bytes));
  ctl::Table table({"WIRE", "CONN", "SMALL", "ENGINE", "REGION", "ENGINE", "RATIO", "SWEPT", "ENGINE", "RATIO", "BODY",
                    "FLOOR", "COPYING", "COPY", "RATIO"});
  for (const Wire wire : what.wires) {
    for (const size_t connections : what.connections) {
      ShowProgress(std::string(WireName(wire)) + " " + std::to_string(connections) + " ...");
      INFERD_ASSIGN_OR_RETURN(std::vector<Turn> turns, Prepare(what, wire, targets));
      INFERD_RETURN_IF_ERROR(Measure(turns, connections, what.timing));
      table.Add(RowOf(wire, connections, turns));
    }
  }
  ShowProgress("");
  std::cout
      << table.AlignRight({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}).ToString()
      << "\nMicroseconds of the server's CPU per request. SMALL: " << what.small << ". REGION and BODY: " << what.large
      << ", " << bytes
      << " bytes in and out,\nin shared memory of the client and in bodies. ENGINE: how long the engine computed "
         "these requests.\nRATIO: (REGION - ENGINE) / (SMALL - ENGINE).\nSWEPT: a model with requests like SMALL's "
         "whose "
         "engine goes through as many bytes as REGION's, and leaves the\nserver's part as cold caches. RATIO: (SWEPT - "
         "ENGINE) / (SMALL - ENGINE): what of REGION's is theirs.\nFLOOR and COPYING: a server that does "
         "nothing with requests like SMALL, and one that copies these bytes from\none half of shared memory to the "
         "other, which takes COPY. RATIO: (COPYING - COPY) / FLOOR.\n";
  return base::OkStatus();
}

}  // namespace inferd::bench
