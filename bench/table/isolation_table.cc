#include "bench/table/isolation_table.h"

#include <iostream>

#include "bench/harness/display.h"
#include "bench/table/measurement.h"
#include "ctl/text/table.h"

namespace inferd::bench {

namespace {

base::Result<Programs> StartServer(Programs::Options options, const char* isolation) {
  options.floors = false;
  options.arguments.push_back(std::string("--isolation=") + isolation);
  return Programs::Start(options);
}

void AddRow(ctl::Table& table, const Row& row) {
  const net::LoadReport& inside = *row.floor;
  const double inside_us = CpuUs(inside).value_or(0);
  const double isolated_us = CpuUs(row.server).value_or(0);
  const auto p50 = [](const net::LoadReport& report) {
    return ctl::DurationText(static_cast<double>(report.latency.PercentileNs(50)));
  };
  table.Add({row.what.call.model, WireName(row.what.call.wire), std::to_string(row.what.connections),
             Number(inside.PerSecond(), "%.0f"), Number(row.server.PerSecond(), "%.0f"), p50(inside), p50(row.server),
             Number(inside_us), Number(isolated_us), Number(isolated_us - inside_us, "%+.1f"),
             Number(inside_us > 0 ? isolated_us / inside_us : 0, "%.2f")});
}

}  // namespace

base::Status PrintIsolationTable(const Programs::Options& programs, const IsolationCase& what) {
  INFERD_ASSIGN_OR_RETURN(const Programs inside, StartServer(programs, "none"));
  INFERD_ASSIGN_OR_RETURN(const Programs isolated, StartServer(programs, "process"));
  ctl::Table table(
      {"MODEL", "WIRE", "CONN", "REQ/S", "PROCESS", "P50", "PROCESS", "CPU US", "PROCESS", "MORE", "RATIO"});
  for (const ModelCall& call : what.calls) {
    for (const size_t connections : what.connections) {
      ShowProgress(call.model + " " + WireName(call.wire) + " " + std::to_string(connections) + " ...");
      INFERD_ASSIGN_OR_RETURN(const Row row,
                              Compare({call, connections}, isolated.targets(), inside.targets(), what.timing));
      AddRow(table, row);
    }
  }
  ShowProgress("");
  std::cout << table.AlignRight({2, 3, 4, 5, 6, 7, 8, 9, 10}).ToString()
            << "\nEach pair: in the server's process, and in one of the model's own (--isolation=process). CPU US: "
               "microseconds of CPU\nper request, of the server and its worker processes together. MORE and RATIO "
               "compare the two.\n";
  return base::OkStatus();
}

}  // namespace inferd::bench
