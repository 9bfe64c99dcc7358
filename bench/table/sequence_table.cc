#include "bench/table/sequence_table.h"

#include <array>
#include <atomic>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "bench/harness/display.h"
#include "bench/harness/infer_message.h"
#include "bench/harness/scratch_repository.h"
#include "bench/table/measurement.h"
#include "ctl/bench/load/grpc_load.h"
#include "ctl/text/table.h"
#include "net/client/http_client.h"

namespace inferd::bench {

namespace {

using base::Result;
using base::Status;

constexpr int kRounds = 5;
constexpr size_t kSequencesMax = 16;
constexpr int64_t kElements = 16;

struct Model {
  const char* name;
  const char* delay_ms;
  bool sequences;
};
constexpr std::array<std::array<Model, 2>, 2> kPairs = {
    {{{{"batched", "0", false}, {"sequences", "0", true}}},
     {{{"batched_1ms", "1", false}, {"sequences_1ms", "1", true}}}}};

std::string ConfigOf(const Model& model) {
  std::string config = R"(backend: "fake" max_batch_size: 16
input { name: "INPUT0" data_type: TYPE_FP32 dims: [ 16 ] }
output { name: "OUTPUT0" data_type: TYPE_FP32 dims: [ 16 ] }
parameters { key: "execute_delay_ms" value { string_value: ")" +
                       std::string(model.delay_ms) + "\" } }\n";
  if (!model.sequences) return config + "dynamic_batching { }\n";
  return config + R"(sequence_batching {
  max_sequence_idle_microseconds: 3600000000
  oldest { max_candidate_sequences: 16 }
  control_input { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } }
  control_input { name: "READY" control { kind: CONTROL_SEQUENCE_READY int32_false_true: [ 0, 1 ] } }
  control_input { name: "END" control { kind: CONTROL_SEQUENCE_END int32_false_true: [ 0, 1 ] } }
  control_input { name: "CORRID" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } }
}
)";
}

std::vector<ctl::NamedTensor> Inputs() {
  return {{.name = "INPUT0",
           .datatype = tensor::DataType::kFp32,
           .shape = tensor::Shape{1, kElements},
           .data = base::BufferSlice(base::Buffer::CopyOf(std::string(kElements * sizeof(float), '\0')))}};
}

ctl::GrpcCall CallOf(std::string message, bool stream) {
  ctl::GrpcCall call;
  call.path =
      stream ? "/inference.GRPCInferenceService/ModelStreamInfer" : "/inference.GRPCInferenceService/ModelInfer";
  call.message = std::move(message);
  call.stream = stream;
  return call;
}

// Sends the first request of each sequence, so that the load has only later requests.
Status Begin(const Model& model, const Targets& targets) {
  net::HttpClient::Options options;
  options.url = targets.grpc.value().url;
  options.http2 = true;
  INFERD_ASSIGN_OR_RETURN(const auto client, net::HttpClient::Create(std::move(options)));
  for (size_t id = 1; id <= kSequencesMax; ++id) {
    const std::string message = SequenceMessage(model.name, Inputs(), static_cast<int64_t>(id), true);
    net::ClientRequest request{.method = "POST",
                               .path = CallOf("", false).path,
                               .headers = {{"te", "trailers"}, {"content-type", "application/grpc"}},
                               .body = ctl::GrpcFrame(message)};
    INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, client->Call(request));
    if (response.body.empty()) {
      return base::Unavailable("a sequence does not begin: " + std::string(response.Find("grpc-message").value_or("")));
    }
  }
  return base::OkStatus();
}

// Returns a load in which each connection has its own sequence.
Result<LoadTarget> TargetOf(const Model& model, bool stream, const Targets& targets) {
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(targets.grpc.value().url));
  if (!model.sequences) {
    return LoadTarget{*targets.grpc, url, ctl::GrpcLoad(url, CallOf(InferMessage(model.name, Inputs()), stream))};
  }
  std::vector<ctl::LoadProtocolFactory> factories;
  for (size_t id = 1; id <= kSequencesMax; ++id) {
    const std::string message = SequenceMessage(model.name, Inputs(), static_cast<int64_t>(id), false);
    factories.push_back(ctl::GrpcLoad(url, CallOf(message, stream)));
  }
  const auto next = std::make_shared<std::atomic<size_t>>(0);
  return LoadTarget{*targets.grpc, url, [factories, next] { return factories[(*next)++ % factories.size()](); }};
}

Result<std::array<ctl::LoadReport, 2>> Measure(const std::array<Model, 2>& models, bool stream, size_t connections,
                                               const Timing& timing, const Targets& targets) {
  std::array<ctl::LoadReport, 2> reports;
  const auto take = [&](size_t i, const Timing& part) -> Status {
    INFERD_ASSIGN_OR_RETURN(const LoadTarget target, TargetOf(models[i], stream, targets));
    INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport report, Saturate(target, connections, part));
    reports[i].Append(report);
    return base::OkStatus();
  };
  INFERD_RETURN_IF_ERROR(TakeTurns(models.size(), kRounds, timing, take));
  return reports;
}

}  // namespace

Status PrintSequenceTable(const Programs::Options& programs, const SequenceCase& what) {
  INFERD_ASSIGN_OR_RETURN(const ScratchRepository repository, ScratchRepository::Create());
  Programs::Options started = programs;
  started.floors = false;
  started.grpc = true;
  started.repository = repository.folder();
  started.models.clear();
  for (const auto& pair : kPairs) {
    for (const Model& model : pair) {
      INFERD_RETURN_IF_ERROR(repository.Add(model.name, ConfigOf(model)));
      started.models.emplace_back(model.name);
    }
  }
  INFERD_ASSIGN_OR_RETURN(const Programs server, Programs::Start(started));
  for (const auto& [batched, sequences] : kPairs) INFERD_RETURN_IF_ERROR(Begin(sequences, server.targets()));
  ctl::Table table(
      {"ENGINE", "WIRE", "CONN", "REQ/S", "SEQUENCES", "P50", "SEQUENCES", "CPU US", "SEQUENCES", "RATIO"});
  for (const auto& pair : kPairs) {
    for (const bool stream : {false, true}) {
      for (const size_t connections : what.connections) {
        if (connections > kSequencesMax) return base::InvalidArgument("sequences are on 16 connections at most");
        ShowProgress(std::string(pair[1].name) + " " + std::to_string(connections) + " ...");
        INFERD_ASSIGN_OR_RETURN(const auto reports, Measure(pair, stream, connections, what.timing, server.targets()));
        const auto& [batched, sequences] = reports;
        const auto p50 = [](const ctl::LoadReport& report) {
          return ctl::DurationText(static_cast<double>(report.latency.PercentileNs(50)));
        };
        const double batched_us = CpuUs(batched).value_or(0);
        const double sequences_us = CpuUs(sequences).value_or(0);
        table.Add({std::string(pair[0].delay_ms) + " ms", WireName(stream ? Wire::kStream : Wire::kGrpc),
                   std::to_string(connections), Number(batched.PerSecond(), "%.0f"),
                   Number(sequences.PerSecond(), "%.0f"), p50(batched), p50(sequences), Number(batched_us),
                   Number(sequences_us), Number(batched_us > 0 ? sequences_us / batched_us : 0, "%.2f")});
      }
    }
  }
  ShowProgress("");
  std::cout
      << table.AlignRight({2, 3, 4, 5, 6, 7, 8, 9}).ToString()
      << "\nEach pair: a model of the fake engine with dynamic batching, and with sequences (oldest, batches of 16, "
         "four control\ntensors), one on each connection. ENGINE: how long an execution waits. CPU US: "
         "microseconds of the server's CPU per\nrequest. RATIO compares the two.\n";
  return base::OkStatus();
}

}  // namespace inferd::bench
