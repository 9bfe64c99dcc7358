#pragma once

#include <memory>

#include "base/status.h"
#include "net/server.h"
#include "net/transport.h"

namespace inferd::net {

// A listener's certificate, key and client authorities, read once. Immutable; shared by the connections that use it.
class TlsContext final {
 public:
  // INVALID_ARGUMENT names the file.
  static base::Result<std::shared_ptr<TlsContext>> Load(const TlsOptions& options);
  ~TlsContext();

  void* native() const { return native_; }  // SSL_CTX*

 private:
  explicit TlsContext(void* native) : native_(native) {}

  void* native_;
};

// The server's side of TLS on a socket, which it does not own.
std::unique_ptr<Transport> MakeTlsTransport(int fd, std::shared_ptr<TlsContext> context);

}  // namespace inferd::net
