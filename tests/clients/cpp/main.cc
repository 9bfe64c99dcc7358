// A gRPC client in C++ that tests start against a running server.
//
//   grpcpp_client CASE TARGET [AUTHORITY [CERTIFICATE KEY]]
//
// Exits with 0 when the case sees what it should; says what it misses otherwise.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "connection.h"

int main(int argc, char** argv) {
  using namespace inferd::clients;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) {
    std::fprintf(stderr, "grpcpp_client CASE TARGET [AUTHORITY [CERTIFICATE KEY]]\n");
    return 2;
  }
  arguments.resize(5);
  Cases cases = EchoCases();
  cases.merge(InferCases());
  const auto found = cases.find(arguments[0]);
  if (found == cases.end()) {
    std::fprintf(stderr, "grpcpp_client: no case '%s'\n", arguments[0].c_str());
    return 2;
  }
  try {
    found->second(
        Connect({.target = arguments[1], .authority = arguments[2], .certificate = arguments[3], .key = arguments[4]}));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", arguments[0].c_str(), failure.what());
    return 1;
  }
  return 0;
}
