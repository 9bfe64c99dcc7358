// bench_http_load URL PATH BODY: repeats one POST request on keep-alive connections in a closed loop, and prints the
// result as one JSON object. It sends the bytes of the file BODY as JSON and reads no answer, so it can load a server
// of any protocol over HTTP/1.1. It uses the load generator of `inferctl bench`. Exit status 1 if the server cannot be
// reached.

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "ctl/bench/load/http_load.h"
#include "ctl/bench/load/load.h"
#include "net/client/http_client.h"
#include "net/client/url.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program

struct Options {
  std::string url;
  std::string path;
  std::string body;
  size_t connections = 1;
  double duration_s = 1;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

base::Result<ctl::LoadReport> Load(const Options& options) {
  ctl::LoadOptions load;
  INFERD_ASSIGN_OR_RETURN(load.url, net::ParseUrl(options.url));
  net::ClientRequest request{.method = "POST", .path = options.path, .headers = {{"Content-Type", "application/json"}}};
  request.body = ReadFile(options.body);
  load.protocol = ctl::HttpLoad(load.url, request);
  load.connections = options.connections;
  load.warmup = std::chrono::milliseconds(0);
  load.duration = std::chrono::milliseconds(static_cast<int64_t>(options.duration_s * 1000));
  return ctl::RunLoad(load);
}

// Prints the error of the first failed request to standard error, because it may hold any bytes of the server's.
void Print(const ctl::LoadReport& report) {
  std::printf(
      "{\"per_second\": %.1f, \"answered\": %llu, \"failed\": %llu, \"seconds\": %.3f, \"p50_us\": %.1f, \"p99_us\": "
      "%.1f, "
      "\"generator_was_busy\": %s}\n",
      report.PerSecond(), static_cast<unsigned long long>(report.answered),
      static_cast<unsigned long long>(report.refused + report.broken), report.seconds,
      static_cast<double>(report.latency.PercentileNs(50)) / 1000,
      static_cast<double>(report.latency.PercentileNs(99)) / 1000, report.GeneratorWasBusy() ? "true" : "false");
  if (!report.first_error.empty()) std::fprintf(stderr, "%s\n", report.first_error.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Repeats one POST request and prints rates and latencies as JSON");
  Options options;
  app.add_option("URL", options.url, "The server's address, such as http://127.0.0.1:8000")->required();
  app.add_option("PATH", options.path, "The request's path")->required();
  app.add_option("BODY", options.body, "A file with the request's body")->required()->check(CLI::ExistingFile);
  app.add_option("-c,--connections", options.connections)->check(CLI::Range(1, 10000));
  app.add_option("--duration", options.duration_s, "Seconds")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const base::Result<ctl::LoadReport> report = Load(options);
  if (!report.has_value()) {
    std::fprintf(stderr, "%s\n", report.error().ToString().c_str());
    return EXIT_FAILURE;
  }
  Print(*report);
  return EXIT_SUCCESS;
}
