#include <cstdio>
#include <ostream>
#include <string>

#include "ctl/bench/bench_report.h"
#include "ctl/bench/load/http_load.h"
#include "ctl/bench/load/load.h"
#include "ctl/commands.h"
#include "ctl/program/interrupt.h"

namespace inferd::ctl {

namespace {

using base::Status;

std::string ProgressText(const ctl::LoadProgress& progress, std::chrono::milliseconds duration) {
  if (progress.warming_up) return "warming up";
  char text[128];
  const double per_second = progress.seconds > 0 ? static_cast<double>(progress.completed) / progress.seconds : 0;
  std::snprintf(text, sizeof text, "%.0f of %g s, %llu requests, %.0f/s", progress.seconds,
                std::chrono::duration<double>(duration).count(), static_cast<unsigned long long>(progress.completed),
                per_second);
  return text;
}

// Prints the progress of a load. On a terminal it overwrites one line, and clears it at the end.
class ProgressLine {
 public:
  explicit ProgressLine(const BenchArguments& arguments) : arguments_(arguments) {}
  ~ProgressLine() {
    if (arguments_.progress != nullptr && arguments_.progress_on_terminal) *arguments_.progress << kClear << std::flush;
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Write(const ctl::LoadProgress& progress) const {
    const std::string text = ProgressText(progress, arguments_.duration);
    if (arguments_.progress_on_terminal) {
      *arguments_.progress << kClear << text << std::flush;
    } else {
      *arguments_.progress << text << "\n" << std::flush;
    }
  }

 private:
  static constexpr const char* kClear = "\r\x1b[K";  // ECMA-48, EL: erases the line

  const BenchArguments& arguments_;
};

base::Result<ctl::LoadReport> RunLoad(V2Server& server, const BenchArguments& arguments,
                                      const net::ClientRequest& request) {
  ctl::LoadOptions load;
  INFERD_ASSIGN_OR_RETURN(load.url, net::ParseUrl(server.url()));
  load.unix_socket = arguments.unix_socket;
  load.protocol = ctl::HttpLoad(load.url, server.WithHeaders(request));
  load.connections = arguments.connections;
  load.rate = arguments.rate;
  load.threads = arguments.threads;
  load.warmup = arguments.warmup;
  load.duration = arguments.duration;
  load.server_pid = arguments.server_pid;
  const InterruptCatcher catcher;
  load.stop = &InterruptFlag();
  const ProgressLine line(arguments);
  if (arguments.progress != nullptr) load.progress = [&](const ctl::LoadProgress& now) { line.Write(now); };
  return ctl::RunLoad(load);
}

}  // namespace

Status Bench(V2Server& server, const BenchArguments& arguments, const Output& out) {
  INFERD_ASSIGN_OR_RETURN(const ModelSignature model, server.Model(arguments.options.model, arguments.options.version));
  InputTexts texts = arguments.inputs;
  if (texts.fill.empty()) texts.fill = "random";
  INFERD_ASSIGN_OR_RETURN(const std::vector<NamedTensor> inputs, MakeInputs(model, texts));
  INFERD_ASSIGN_OR_RETURN(const net::ClientRequest request, EncodeInfer(arguments.options, inputs));
  // The first call is separate, so that a request that the server refuses is an error and not a benchmark.
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, server.Call(request));
  INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport report, RunLoad(server, arguments, request));
  WriteBenchReport(arguments, report, out);
  if (report.stopped) return base::Cancelled("interrupted: the report is of a part of the time");
  if (report.answered == 0) return base::Unavailable("no request was answered");
  return base::OkStatus();
}

}  // namespace inferd::ctl
