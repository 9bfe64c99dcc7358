#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace inferd::net {

struct ClientRequest {
  std::string method = "GET";
  std::string path{};  // relative to the server's URL; already percent-encoded
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
};

struct ClientResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // as sent, in order
  std::string body{};

  // Returns the first header of that name, ignoring case.
  std::optional<std::string_view> Find(std::string_view name) const;
};

// A blocking HTTP client for tools and tests: one server, one connection kept alive between calls. Not thread-safe; one
// per thread. Not for benchmarks (see load.h).
class HttpClient final {
 public:
  struct Options {
    std::string url = "http://127.0.0.1:8000";
    std::string unix_socket{};  // connect here; the URL still names the host
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds timeout{600'000};  // of a whole call
    size_t body_bytes_max = size_t{4} << 30;     // of a response
    bool http2 = false;                          // with prior knowledge (h2c), or by ALPN over TLS
    std::string ca_file{};                       // the system's if empty
    std::string authorities{};                   // PEM, replacing the system's; not together with ca_file
    std::string certificate_file{}, key_file{};  // a client certificate, PEM
    bool insecure = false;                       // do not check the server's certificate

    // Returns options for a server on this machine, at "127.0.0.1:8080" or "unix:PATH".
    static Options At(const std::string& address);
  };

  // Creates a client without connecting. INVALID_ARGUMENT if the URL is invalid.
  static base::Result<std::unique_ptr<HttpClient>> Create(Options options);
  ~HttpClient();

  // Any HTTP status is a response. Errors: UNAVAILABLE (cannot connect, or the connection broke), DEADLINE_EXCEEDED,
  // RESOURCE_EXHAUSTED (the response is too large), INTERNAL.
  base::Result<ClientResponse> Call(const ClientRequest& request);

  // Does the same, but passes the body of a success (2xx) to `on_body` as it arrives. The body may be endless:
  // `timeout` and `body_bytes_max` do not apply to it.
  base::Result<ClientResponse> Stream(const ClientRequest& request,
                                      const std::function<void(std::string_view)>& on_body);

  const std::string& url() const { return url_; }

 private:
  class Handle;
  HttpClient(Options options, std::string url);

  Options options_;
  std::string url_;  // normalised, without a trailing '/'
  std::unique_ptr<Handle> handle_;
};

}  // namespace inferd::net
