#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace inferd::clients {

// Where the server is, and the PEM files of TLS: `authority` empty: none; `certificate` and `key` of a client that
// shows one.
struct Address {
  std::string target;
  std::string authority;
  std::string certificate;
  std::string key;
};

// Messages of any size both ways.
std::shared_ptr<grpc::Channel> Connect(const Address& address);

// What a case says when it does not see what it should.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void Expect(bool holds, const std::string& what);
void ExpectOk(const grpc::Status& status);
void ExpectCode(const grpc::Status& status, grpc::StatusCode code);

// By name. Each throws Failure.
using Case = std::function<void(const std::shared_ptr<grpc::Channel>&)>;
using Cases = std::map<std::string, Case>;

Cases EchoCases();   // against grpc_echo
Cases InferCases();  // against inferd with the example models and the fake engine's `endless`

}  // namespace inferd::clients
