#include "bench/table/pair_table.h"

#include <iostream>

#include "bench/harness/display.h"
#include "bench/harness/scratch_repository.h"
#include "bench/table/measurement.h"
#include "ctl/text/table.h"

namespace inferd::bench {

namespace {

base::Result<Programs> StartServer(Programs::Options options, const std::string& argument) {
  options.floors = false;
  options.arguments.push_back(argument);
  return Programs::Start(options);
}

void AddRow(ctl::Table& table, const Row& row) {
  const ctl::LoadReport& inside = *row.floor;
  const double inside_us = CpuUs(inside).value_or(0);
  const double isolated_us = CpuUs(row.server).value_or(0);
  const auto p50 = [](const ctl::LoadReport& report) {
    return ctl::DurationText(static_cast<double>(report.latency.PercentileNs(50)));
  };
  table.Add({row.what.call.model, WireName(row.what.call.wire), std::to_string(row.what.connections),
             Number(inside.PerSecond(), "%.0f"), Number(row.server.PerSecond(), "%.0f"), p50(inside), p50(row.server),
             Number(inside_us), Number(isolated_us), Number(isolated_us - inside_us, "%+.1f"),
             Number(inside_us > 0 ? isolated_us / inside_us : 0, "%.2f")});
}

// `second` is the title of the second server's columns.
base::Status PrintPairs(const Programs& first, const Programs& other, const PairCase& what, const char* second,
                        const std::string& note) {
  ctl::Table table({"MODEL", "WIRE", "CONN", "REQ/S", second, "P50", second, "CPU US", second, "MORE", "RATIO"});
  for (const ModelCall& call : what.calls) {
    for (const size_t connections : what.connections) {
      ShowProgress(call.model + " " + WireName(call.wire) + " " + std::to_string(connections) + " ...");
      INFERD_ASSIGN_OR_RETURN(const Row row,
                              Compare({call, connections}, other.targets(), first.targets(), what.timing));
      AddRow(table, row);
    }
  }
  ShowProgress("");
  std::cout << table.AlignRight({2, 3, 4, 5, 6, 7, 8, 9, 10}).ToString() << "\n" << note;
  return base::OkStatus();
}

}  // namespace

base::Status PrintIsolationTable(const Programs::Options& programs, const PairCase& what) {
  INFERD_ASSIGN_OR_RETURN(const Programs inside, StartServer(programs, "--isolation=none"));
  INFERD_ASSIGN_OR_RETURN(const Programs isolated, StartServer(programs, "--isolation=process"));
  return PrintPairs(inside, isolated, what, "PROCESS",
                    "Each pair: in the server's process, and in one of the model's own (--isolation=process). CPU US: "
                    "microseconds of CPU\nper request, of the server and its worker processes together. MORE and RATIO "
                    "compare the two.\n");
}

base::Status PrintCacheTable(const Programs::Options& programs, const PairCase& what) {
  INFERD_ASSIGN_OR_RETURN(const ScratchRepository repository, ScratchRepository::Create());
  for (const std::string& model : programs.models) {
    INFERD_RETURN_IF_ERROR(repository.Add(model, programs.repository + "/" + model + "/1/model.onnx",
                                          "response_cache { enable: true }\n"));
  }
  Programs::Options cached = programs;
  cached.repository = repository.folder();
  INFERD_ASSIGN_OR_RETURN(const Programs executing, StartServer(programs, "--log-info=false"));
  INFERD_ASSIGN_OR_RETURN(const Programs keeping, StartServer(cached, "--cache-config=local,size=256M"));
  return PrintPairs(executing, keeping, what, "CACHED",
                    "Each pair: every request executed, and every request but the first a hit of the response cache. "
                    "CPU US: microseconds\nof the server's CPU per request. MORE and RATIO compare the two.\n");
}

}  // namespace inferd::bench
