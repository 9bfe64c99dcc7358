#include "controller/run.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "base/logging.h"
#include "base/system/end_signals.h"
#include "base/system/file_descriptor.h"
#include "base/version/version.h"
#include "controller/local_controller.h"

namespace inferd::controller {

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

constexpr const char* kFooter = R"(Examples:
  inferd-controller --local iris.yaml
  curl -H 'Host: iris-default.localhost' http://localhost:8080/v1/models/iris
  curl http://localhost:8080/serving/default/iris/v1/models/iris

  kubectl -s http://localhost:8079 get inferenceservices

The files are applied again when they change. Ctrl-C ends all that was started.)";

int RunLocal(LocalOptions options) {
  const base::FileDescriptor signals = base::TakeEndSignals();
  auto logger = base::Logger::Create({});
  if (!logger.has_value()) {
    std::cerr << logger.error().message() << "\n";
    return kExitFailed;
  }
  LocalController controller(std::move(options), **logger);
  if (const base::Status started = controller.Start(); !started.ok()) {
    (*logger)->Error(started.message());
    return kExitFailed;
  }
  controller.Run(signals.get());
  (*logger)->Info("stopped");
  return 0;
}

}  // namespace

int Run(int argc, char** argv) {
  CLI::App app(
      "InferenceServices (KServe) of manifests, run on this machine: replicas are processes, behind one gateway");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string(base::BuildVersion()));
  LocalOptions options;
  bool local = false;
  app.add_flag("--local", local, "Run them on this machine, which is all that there is so far")->required();
  app.add_option("FILE", options.files, "Manifests: files, or folders of *.yaml, *.yml and *.json")
      ->check(CLI::ExistingPath);
  app.add_option("--runtimes", options.runtimes, "ServingRuntimes: files or folders, in place of those installed")
      ->check(CLI::ExistingPath);
  app.add_option("--http-address", options.address, "Where the gateway listens")->capture_default_str();
  app.add_option("--http-port", options.port, "0: any free one")->capture_default_str();
  app.add_option("--api-address", options.api_address,
                 "Where the API for kubectl and inferctl listens; it has no passwords, and runs what it is told")
      ->capture_default_str();
  app.add_option("--api-port", options.api_port, "0: any free one")->capture_default_str();
  app.add_option("--domain", options.domain, "Services are NAME-NAMESPACE.DOMAIN")->capture_default_str();
  app.add_option("--folder", options.folder,
                 "For models and objects, which are there again at the next start; a temporary one if it is left out");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  return RunLocal(std::move(options));
}

}  // namespace inferd::controller
