#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "net/server.h"
#include "net/transport.h"

namespace inferd::net {

// The authorities that a TLS client trusts, and its own certificate.
struct ClientTlsOptions {
  std::string ca_file = {};           // authorities; the system's if this and ca_folder are empty
  std::string ca_folder = {};         // one file per authority, named by its hash ("openssl rehash")
  std::string certificate_file = {};  // the client's, followed by its chain; if empty, the client shows none
  std::string key_file = {};
};

// A listener's certificate, key and client authorities, or a client's, read once. Immutable; shared by the connections
// that use it.
class TlsContext final {
 public:
  // INVALID_ARGUMENT, with the file's name, if a file is invalid.
  static base::Result<std::shared_ptr<TlsContext>> Load(const TlsOptions& options);
  static base::Result<std::shared_ptr<TlsContext>> LoadClient(const ClientTlsOptions& options);
  ~TlsContext();

  void* native() const { return native_; }  // SSL_CTX*

 private:
  explicit TlsContext(void* native) : native_(native) {}

  void* native_;
};

// Returns the server's side of TLS on a socket, which it does not own.
std::unique_ptr<Transport> MakeTlsTransport(int fd, std::shared_ptr<TlsContext> context);

// Returns the client's side, with a context of LoadClient(). `name` is the DNS name, or the address, that the server's
// certificate must be for. INVALID_ARGUMENT if it is not a name.
base::Result<std::unique_ptr<Transport>> MakeTlsClientTransport(int fd, std::shared_ptr<TlsContext> context,
                                                                const std::string& name);

}  // namespace inferd::net
