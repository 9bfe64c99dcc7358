#include "connection.h"

#include <fstream>
#include <sstream>

namespace inferd::clients {
namespace {

std::string Contents(const std::string& path) {
  if (path.empty()) return "";
  const std::ifstream file(path);
  Expect(file.good(), "cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(const Address& address) {
  if (address.authority.empty()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({.pem_root_certs = Contents(address.authority),
                               .pem_private_key = Contents(address.key),
                               .pem_cert_chain = Contents(address.certificate)});
}

}  // namespace

std::shared_ptr<grpc::Channel> Connect(const Address& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  return grpc::CreateCustomChannel(address.target, CredentialsOf(address), arguments);
}

void Expect(bool holds, const std::string& what) {
  if (!holds) throw Failure(what);
}

void ExpectOk(const grpc::Status& status) { ExpectCode(status, grpc::StatusCode::OK); }

void ExpectCode(const grpc::Status& status, grpc::StatusCode code) {
  Expect(status.error_code() == code, "expected status " + std::to_string(code) + ", got " +
                                          std::to_string(status.error_code()) + ": " + status.error_message());
}

}  // namespace inferd::clients
