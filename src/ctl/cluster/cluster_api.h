#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "data/manifest/value.h"
#include "net/client/http_client.h"

namespace inferd::ctl {

// A kind of objects of an API server, from its discovery.
struct ApiResource {
  std::string group_version;  // "serving.kserve.io/v1beta1"; "v1"
  std::string plural, singular, kind;
  std::vector<std::string> short_names;
  bool namespaced = true;

  // Returns "inferenceservice.serving.kserve.io", as in kubectl's output.
  std::string full_name() const;
  // Returns the path of an object, or of the collection if `name` is empty. An empty namespace means all namespaces.
  std::string Path(std::string_view namespace_name, std::string_view name = {}) const;
};

// A client of Kubernetes' API, in inferd-controller or a cluster. Blocking; not thread-safe.
//
// Errors: a refusal of the server is "Error from server (NotFound): ..." with NOT_FOUND, FAILED_PRECONDITION or a
// similar code; UNAVAILABLE if the server cannot be reached.
class ClusterApi final {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  // Opens a client. `headers` are added to every request.
  static base::Result<ClusterApi> Open(net::HttpClient::Options options, Headers headers);

  // Finds a resource by its plural, singular, short name or kind, in any case, with or without its group.
  base::Result<ApiResource> FindResource(const std::string& name);
  base::Result<ApiResource> FindKind(const std::string& api_version, const std::string& kind);

  base::Result<manifest::Value> Get(const std::string& path);
  // Returns the objects as a table with the server's columns.
  base::Result<manifest::Value> GetTable(const std::string& path);
  // Returns the body unchanged.
  base::Result<std::string> GetText(const std::string& path, std::string_view accept = "*/*");
  // Likewise, but passes the body on as it arrives; for unlimited responses.
  base::Status Stream(const std::string& path, const std::function<void(std::string_view)>& on_text);
  // Sends a request with a JSON body.
  base::Result<manifest::Value> Send(const std::string& method, const std::string& path, std::string_view content_type,
                                     std::string body);
  base::Result<manifest::Value> Patch(const std::string& path, std::string merge_patch);

 private:
  ClusterApi(std::unique_ptr<net::HttpClient> client, Headers headers)
      : client_(std::move(client)), headers_(std::move(headers)) {}
  base::Result<std::string> Call(net::ClientRequest request);
  base::Result<manifest::Value> CallForValue(net::ClientRequest request);
  base::Status Discover();

  std::unique_ptr<net::HttpClient> client_;
  Headers headers_;
  std::vector<ApiResource> resources_;  // empty before the first discovery
};

// Parses a sequence of JSON documents that a server sent. INTERNAL if they are invalid.
base::Result<std::vector<manifest::Value>> ReadSent(std::string_view text);

// Returns the text of a field. Empty if the field is absent.
std::string FieldText(const manifest::Value& value, std::initializer_list<std::string_view> keys);

}  // namespace inferd::ctl
