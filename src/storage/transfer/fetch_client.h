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

// Bytes [begin, end) of a file; without `end`, up to the file's end.
struct ByteRange {
  uint64_t begin = 0;
  std::optional<uint64_t> end;
};

// Receives a file's bytes in order. Its error ends the transfer and is returned by it.
using ByteSink = std::function<base::Status(std::string_view)>;

// Signs requests by Amazon's Signature Version 4 for S3. The key and the token are secrets, and never in messages.
struct S3Signing {
  std::string region;
  std::string access_key_id;
  std::string secret_access_key;
};

struct FetchRequest {
  std::string method = "GET";
  std::string url;  // percent-encoded; for signed requests with parameters sorted by name
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};  // not for GET
  std::optional<ByteRange> range{};
  std::optional<S3Signing> signing{};
  std::optional<std::chrono::seconds> stall_timeout{};  // replaces the client's; 0 for none
  std::chrono::milliseconds time_limit{0};              // of the whole transfer; 0 for none
};

struct ResponseHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // as sent, in order

  // Returns the last header of that name, ignoring case. Empty if there is none.
  std::string_view Find(std::string_view name) const;
};

struct FetchSink {
  // Decides whether the body is wanted. If not, the transfer ends there without an error.
  std::function<base::Result<bool>(const ResponseHead&)> head;
  ByteSink body;
};

// Sends requests over HTTP and HTTPS, and streams the responses. Thread-safe: connections are kept and shared among
// calls. Follows redirects, but sends headers and the signature to the first origin only.
class FetchClient final {
 public:
  struct Options {
    std::chrono::milliseconds connect_timeout{10'000};
    std::chrono::seconds stall_timeout{30};  // without a byte
    int redirects_max = 10;
    bool verify_peer = true;    // check its certificate, and that it is for the host
    std::string ca_file{};      // the system's if empty
    std::string authorities{};  // certificates of authorities in PEM, in place of a file
    std::string certificate{};  // the client's own, in PEM; empty for none
    std::string private_key{};  // its key, in PEM, a secret; if empty, it is beside the certificate
    std::string connect_to{};   // "HOST:PORT" in place of the URL's; the certificate must still be for the URL's host
  };

  explicit FetchClient(Options options);
  ~FetchClient();

  // Blocks. Returns errors of the sink. UNAVAILABLE, which a retry may fix, if there is no connection, it broke or
  // stalled, or fewer bytes came than announced. INVALID_ARGUMENT for an invalid URL. FAILED_PRECONDITION for an
  // untrusted certificate, or too many redirects. CANCELLED by `stop`. Messages have the URL without its user and
  // parameters.
  base::Status Fetch(const FetchRequest& request, const FetchSink& sink, const std::stop_token& stop) const;

 private:
  class Connections;
  const Options options_;
  const std::unique_ptr<Connections> connections_;
};

// Converts a response's status for a requested file to an error with `message`: NOT_FOUND (404, 410), PERMISSION_DENIED
// (401, 403), UNAVAILABLE (408, 429, 5xx: a retry may help), else FAILED_PRECONDITION.
base::Status StatusOfResponse(int status, std::string message);

using base::ShownUri;

}  // namespace inferd::storage
