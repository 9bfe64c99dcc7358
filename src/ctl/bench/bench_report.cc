#include "ctl/bench/bench_report.h"

#include <chrono>
#include <cstdio>
#include <ostream>
#include <string>

#include "ctl/bench/histogram_text.h"
#include "ctl/text/table.h"
#include "data/json/writer.h"

namespace inferd::ctl {

namespace {

constexpr double kNsPerUs = 1000;

double Seconds(std::chrono::milliseconds time) { return std::chrono::duration<double>(time).count(); }

double Microseconds(uint64_t ns) { return static_cast<double>(ns) / kNsPerUs; }

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 100 ? "%.1f" : "%.0f", value);
  return text;
}

void WriteText(const BenchArguments& arguments, const ctl::LoadReport& report, std::ostream& out) {
  const ctl::LatencyHistogram& latency = report.latency;
  const auto percentile = [&](double percent) {
    return DurationText(static_cast<double>(latency.PercentileNs(percent)));
  };
  out << "model " << arguments.options.model << ", " << (arguments.options.wire == Wire::kJson ? "JSON" : "binary")
      << ", " << arguments.connections << (arguments.connections == 1 ? " connection, " : " connections, ");
  if (arguments.rate > 0) {
    out << "open loop at " << Number(arguments.rate) << " requests/s\n\n";
  } else {
    out << "closed loop\n\n";
  }
  if (report.stopped)
    out << "partial      interrupted before its " << Number(Seconds(arguments.duration)) << " s were over\n";
  out << "requests/s   " << Number(report.PerSecond()) << "   (" << report.completed << " in " << Number(report.seconds)
      << " s)\n"
      << "latency      p50 " << percentile(50) << "   p90 " << percentile(90) << "   p99 " << percentile(99)
      << "   max " << DurationText(static_cast<double>(latency.max_ns())) << "\n";
  if (report.server_cpu_ns.has_value() && report.completed > 0) {
    const auto cpu_ns = static_cast<double>(*report.server_cpu_ns);
    out << "server CPU   " << DurationText(cpu_ns / static_cast<double>(report.completed)) << " per request   ("
        << Number(cpu_ns / report.seconds / 1e7) << " % of one core)\n";
  }
  if (report.refused + report.broken > 0) {
    out << "failed       " << report.refused << " refused, " << report.broken
        << " broken off; the first: " << report.first_error << "\n";
  }
  out << "\n" << HistogramText(latency);
}

void WriteLatency(json::Writer& writer, const ctl::LatencyHistogram& latency) {
  writer.Key("latency_us");
  writer.BeginObject();
  writer.Member("mean", Microseconds(latency.mean_ns()));
  writer.Member("p50", Microseconds(latency.PercentileNs(50)));
  writer.Member("p90", Microseconds(latency.PercentileNs(90)));
  writer.Member("p99", Microseconds(latency.PercentileNs(99)));
  writer.Member("max", Microseconds(latency.max_ns()));
  writer.EndObject();
  writer.Key("histogram");
  writer.BeginArray();
  for (const HistogramRow& row : HistogramRows(latency)) {
    writer.BeginObject();
    writer.Member("below_us", row.end_ns / kNsPerUs);
    writer.Member("count", row.count);
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteJson(const BenchArguments& arguments, const ctl::LoadReport& report, const Output& out) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("model", arguments.options.model);
  if (!arguments.options.version.empty()) writer.Member("version", arguments.options.version);
  writer.Member("wire", arguments.options.wire == Wire::kJson ? "json" : "binary");
  writer.Member("connections", arguments.connections);
  if (arguments.rate > 0) writer.Member("rate", arguments.rate);
  writer.Member("partial", report.stopped);
  writer.Member("seconds", report.seconds);
  writer.Member("completed", report.completed);
  writer.Member("requests_per_second", report.PerSecond());
  writer.Member("refused", report.refused);
  writer.Member("broken", report.broken);
  if (!report.first_error.empty()) writer.Member("first_error", report.first_error);
  if (report.server_cpu_ns.has_value() && report.completed > 0) {
    const double cpu_us = static_cast<double>(*report.server_cpu_ns) / kNsPerUs;
    writer.Member("server_cpu_us_per_request", cpu_us / static_cast<double>(report.completed));
  }
  WriteLatency(writer, report.latency);
  writer.EndObject();
  out.Write(writer);
}

}  // namespace

void WriteBenchReport(const BenchArguments& arguments, const ctl::LoadReport& report, const Output& out) {
  if (out.json) {
    WriteJson(arguments, report, out);
  } else {
    WriteText(arguments, report, out.stream);
  }
}

}  // namespace inferd::ctl
