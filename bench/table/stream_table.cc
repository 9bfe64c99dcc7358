#include "bench/table/stream_table.h"

#include <array>
#include <iostream>
#include <string>
#include <utility>

#include "bench/harness/display.h"
#include "bench/harness/infer_message.h"
#include "bench/harness/scratch_repository.h"
#include "ctl/bench/load/http_load.h"
#include "ctl/infer_codec.h"
#include "ctl/text/table.h"

namespace inferd::bench {

namespace {

using base::Result;
using base::Status;

constexpr int kRounds = 5;
constexpr size_t kResponses = 1000;
constexpr const char* kModel = "repeat";
constexpr const char* kConfig = R"(
backend: "repeat"
model_transaction_policy { decoupled: true }
input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "IDX" data_type: TYPE_UINT32 dims: [ 1 ] }
)";

enum class StreamWire { kGrpc, kLines, kEvents };
constexpr std::array kWires = {std::pair{StreamWire::kGrpc, "ModelStreamInfer"}, std::pair{StreamWire::kLines, "lines"},
                               std::pair{StreamWire::kEvents, "events"}};

// Returns an input with one element for each response.
std::vector<ctl::NamedTensor> Inputs(size_t responses) {
  ctl::NamedTensor input;
  input.name = "IN";
  input.datatype = tensor::DataType::kInt32;
  input.shape = tensor::Shape({static_cast<int64_t>(responses)});
  input.data = base::BufferSlice(base::Buffer::CopyOf(std::string(responses * sizeof(int32_t), '\0')));
  return {input};
}

Result<LoadTarget> TargetOf(StreamWire wire, size_t responses, const Targets& targets) {
  if (wire == StreamWire::kGrpc) {
    ctl::GrpcCall call;
    call.path = "/inference.GRPCInferenceService/ModelStreamInfer";
    call.message = InferMessage(kModel, Inputs(responses));
    call.stream = true;
    call.answers = responses;
    INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(targets.grpc.value().url));
    return LoadTarget{*targets.grpc, url, ctl::GrpcLoad(url, call)};
  }
  ctl::InferOptions infer;
  infer.model = kModel;
  infer.wire = ctl::Wire::kBinary;
  INFERD_ASSIGN_OR_RETURN(net::ClientRequest request, ctl::EncodeInfer(infer, Inputs(responses)));
  request.headers.emplace_back("Accept", wire == StreamWire::kLines ? "application/x-ndjson" : "text/event-stream");
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(targets.http.url));
  return LoadTarget{targets.http, url, ctl::HttpLoad(url, request)};
}

// The loads: requests with one response, and requests with kResponses.
using Turns = std::array<std::pair<LoadTarget, ctl::LoadReport>, 2>;

Result<Turns> Measure(StreamWire wire, size_t connections, const Timing& timing, const Targets& targets) {
  INFERD_ASSIGN_OR_RETURN(LoadTarget one, TargetOf(wire, 1, targets));
  INFERD_ASSIGN_OR_RETURN(LoadTarget many, TargetOf(wire, kResponses, targets));
  Turns turns = {std::pair{std::move(one), ctl::LoadReport()}, std::pair{std::move(many), ctl::LoadReport()}};
  const auto take = [&](size_t i, const Timing& part) -> Status {
    auto& [target, report] = turns[i];
    INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport measured, Saturate(target, connections, part));
    report.Append(measured);
    return base::OkStatus();
  };
  INFERD_RETURN_IF_ERROR(TakeTurns(turns.size(), kRounds, timing, take));
  return turns;
}

}  // namespace

Status PrintStreamTable(const Programs::Options& programs, const std::vector<size_t>& connections,
                        const Timing& timing) {
  INFERD_ASSIGN_OR_RETURN(const ScratchRepository repository, ScratchRepository::Create());
  INFERD_RETURN_IF_ERROR(repository.Add(kModel, kConfig));
  Programs::Options started = programs;
  started.floors = false;
  started.repository = repository.folder();
  started.models = {kModel};
  INFERD_ASSIGN_OR_RETURN(const Programs server, Programs::Start(started));
  ctl::Table table({"WIRE", "CONN", "STREAMS/S", "RESPONSES/S", "1 RESPONSE", "1000 RESPONSES", "EACH"});
  for (const auto& [wire, name] : kWires) {
    for (const size_t count : connections) {
      ShowProgress(std::string(name) + " " + std::to_string(count) + " ...");
      INFERD_ASSIGN_OR_RETURN(const Turns turns, Measure(wire, count, timing, server.targets()));
      const ctl::LoadReport& many = turns[1].second;
      const double one_us = CpuUs(turns[0].second).value_or(0);
      const double many_us = CpuUs(many).value_or(0);
      table.Add({name, std::to_string(count), Number(many.PerSecond(), "%.0f"),
                 Number(many.PerSecond() * kResponses, "%.0f"), Number(one_us), Number(many_us),
                 Number((many_us - one_us) / (kResponses - 1), "%.2f")});
    }
  }
  ShowProgress("");
  std::cout
      << table.AlignRight({1, 2, 3, 4, 5, 6}).ToString()
      << "\nMicroseconds of the server's CPU per request with 1 and with 1000 responses of the fake engine's model "
         "`repeat`, and for each\nresponse but the first, what the engine itself does included. lines and events: "
         "infer over HTTP with that Accept header.\n";
  return base::OkStatus();
}

}  // namespace inferd::bench
