// Serves grpc_echo_service.h until SIGTERM, and gRPC-Web with it; for tests with real clients.
//
//   grpc_echo [--address A] [--port N] [--unix PATH] [--tls-certificate F --tls-key F [--tls-client-ca F]]
//             [--message-bytes-max N] [--compression-level N]
//
// Prints "port <N>" when it listens.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "base/thread_pool.h"
#include "net/grpc/handler.h"
#include "net/loop_group.h"
#include "net/server.h"
#include "tests/support/grpc_echo_service.h"

namespace inferd::support {
namespace {

using Arguments = std::map<std::string, std::string>;

Arguments ReadArguments(int argc, char** argv) {
  Arguments arguments = {{"--address", "127.0.0.1"},
                         {"--port", "0"},
                         {"--unix", ""},
                         {"--tls-certificate", ""},
                         {"--tls-key", ""},
                         {"--tls-client-ca", ""},
                         {"--message-bytes-max", ""},
                         {"--compression-level", "0"}};
  for (int i = 1; i < argc; i += 2) {
    const auto argument = arguments.find(argv[i]);
    if (argument == arguments.end() || i + 1 == argc) {
      std::fprintf(stderr, "grpc_echo: unknown option, or no value: %s\n", argv[i]);
      std::exit(2);
    }
    argument->second = argv[i + 1];
  }
  return arguments;
}

net::ListenerOptions ListenerOf(const Arguments& arguments) {
  net::ListenerOptions listener;
  listener.name = "grpc";
  listener.address = arguments.at("--address");
  listener.port = static_cast<uint16_t>(std::stoul(arguments.at("--port")));
  listener.unix_path = arguments.at("--unix");
  if (!arguments.at("--tls-certificate").empty()) {
    listener.tls = net::TlsOptions{.certificate_file = arguments.at("--tls-certificate"),
                                   .key_file = arguments.at("--tls-key"),
                                   .client_ca_file = arguments.at("--tls-client-ca"),
                                   .require_client_certificate = !arguments.at("--tls-client-ca").empty()};
  }
  return listener;
}

int Serve(const Arguments& arguments) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  net::grpc::Options options;
  const std::string& bytes_max = arguments.at("--message-bytes-max");
  if (!bytes_max.empty()) options.message_bytes_max = std::stoull(bytes_max);
  options.response_compression_level = std::stoi(arguments.at("--compression-level"));
  options.web_allow_origin = "*";

  const base::SystemClock clock;
  const auto logger = base::Logger::Create({}).value();
  net::LoopGroup loops(2);
  base::ThreadPool pool("pool", 2);  // ends before the loops that its tasks go back to
  net::Server server(loops, net::Limits(), nullptr, *logger);
  net::ListenerOptions listener = ListenerOf(arguments);
  listener.handlers = [&](net::Loop&) {
    return net::grpc::MakeHandler({.options = options, .pool = pool, .clock = clock}, EchoMethods(), nullptr);
  };
  if (const base::Status listening = server.Listen(std::move(listener)); !listening.ok()) {
    std::fprintf(stderr, "grpc_echo: %s\n", listening.ToString().c_str());
    return 1;
  }
  std::printf("port %u\n", unsigned{server.port("grpc")});
  std::fflush(stdout);

  int signal = 0;
  sigwait(&signals, &signal);
  server.BeginDrain();
  server.WaitUntilIdle(std::chrono::seconds(5));
  server.Stop();
  return 0;
}

}  // namespace
}  // namespace inferd::support

int main(int argc, char** argv) { return inferd::support::Serve(inferd::support::ReadArguments(argc, argv)); }
