#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/text/masking.h"

namespace inferd::storage {

// Bytes [begin, end) of a file; without an end, those up to its own.
struct ByteRange {
  uint64_t begin = 0;
  std::optional<uint64_t> end;
};

// Receives a file's bytes in order. An error ends the transfer, and is what the transfer returns.
using ByteSink = std::function<base::Status(std::string_view)>;

// Signs requests by Amazon's Signature Version 4 for S3. The key and the token are secrets: they are in no message.
struct S3Signing {
  std::string region;
  std::string access_key_id;
  std::string secret_access_key;
};

struct FetchRequest {
  std::string method = "GET";
  std::string url;  // percent-encoded; signed requests: parameters sorted by name
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};  // not of a GET
  std::optional<ByteRange> range{};
  std::optional<S3Signing> signing{};
  std::optional<std::chrono::seconds> stall_timeout{};  // in place of the client's; 0: none
  std::chrono::milliseconds time_limit{0};              // of the whole transfer; 0: none
};

struct ResponseHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // as sent, in order

  // The last header of that name, without regard to case; empty: none.
  std::string_view Find(std::string_view name) const;
};

struct FetchSink {
  // Whether the body is wanted; if not, the transfer ends there, well.
  std::function<base::Result<bool>(const ResponseHead&)> head;
  ByteSink body;
};

// Sends requests over HTTP and HTTPS, and streams what is answered. Thread-safe: connections are kept and shared among
// calls. Redirects are followed; headers and the signature are sent to the first origin alone.
class FetchClient final {
 public:
  struct Options {
    std::chrono::milliseconds connect_timeout{10'000};
    std::chrono::seconds stall_timeout{30};  // without a byte
    int redirects_max = 10;
    bool verify_peer = true;    // its certificate, and that it is for the host
    std::string ca_file{};      // empty: the system's
    std::string authorities{};  // in place of a file: their certificates, in PEM
    std::string certificate{};  // that the client shows, in PEM; empty: none
    std::string private_key{};  // its key, in PEM, a secret; empty: it stands beside the certificate
    std::string connect_to{};   // "HOST:PORT" in place of the URL's, which the certificate is to be for still
  };

  explicit FetchClient(Options options);
  ~FetchClient();

  // Blocks. Errors: what the sink returns; UNAVAILABLE, which another try may mend: no connection, a cut or stalled
  // one, fewer bytes than announced; INVALID_ARGUMENT: a bad URL; FAILED_PRECONDITION: a certificate that is not
  // trusted, or too many redirects; CANCELLED: `stop`. Messages name the URL without its user and parameters.
  base::Status Fetch(const FetchRequest& request, const FetchSink& sink, const std::stop_token& stop) const;

 private:
  class Connections;
  const Options options_;
  const std::unique_ptr<Connections> connections_;
};

// What a response's status means for the file that was asked for, with `message`: NOT_FOUND (404, 410),
// PERMISSION_DENIED (401, 403), UNAVAILABLE (408, 429, 5xx: another try may mend it), else FAILED_PRECONDITION.
base::Status StatusOfResponse(int status, std::string message);

using base::ShownUri;

}  // namespace inferd::storage
