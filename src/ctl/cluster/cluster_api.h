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

// A kind of objects that an API server has, as its discovery says.
struct ApiResource {
  std::string group_version;  // "serving.kserve.io/v1beta1"; "v1"
  std::string plural, singular, kind;
  std::vector<std::string> short_names;
  bool namespaced = true;

  // "inferenceservice.serving.kserve.io", as kubectl names what it has done.
  std::string full_name() const;
  // Of the collection, in a namespace or in all (empty).
  std::string Path(std::string_view namespace_name, std::string_view name = {}) const;
};

// Kubernetes' API: inferd-controller's, or a cluster's. Blocking; not thread-safe.
//
// Errors: what the server refuses, as "Error from server (NotFound): ..." with NOT_FOUND, FAILED_PRECONDITION or the
// like; UNAVAILABLE: it cannot be reached.
class ClusterApi final {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  // Every request carries `headers`.
  static base::Result<ClusterApi> Open(net::HttpClient::Options options, Headers headers);

  // The resource that a user means: by its plural, singular, short name or kind, in any case, with its group or
  // without.
  base::Result<ApiResource> FindResource(const std::string& name);
  base::Result<ApiResource> FindKind(const std::string& api_version, const std::string& kind);

  base::Result<manifest::Value> Get(const std::string& path);
  // In the columns that the server has for it.
  base::Result<manifest::Value> GetTable(const std::string& path);
  // As it is.
  base::Result<std::string> GetText(const std::string& path, std::string_view accept = "*/*");
  // Likewise, as it comes: for answers that go on.
  base::Status Stream(const std::string& path, const std::function<void(std::string_view)>& on_text);
  // `body`: JSON.
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
  std::vector<ApiResource> resources_;  // empty: not asked yet
};

// Documents that a server sent, one behind the other; INTERNAL: they are none.
base::Result<std::vector<manifest::Value>> ReadSent(std::string_view text);

// The text of a field; empty: there is none.
std::string FieldText(const manifest::Value& value, std::initializer_list<std::string_view> keys);

}  // namespace inferd::ctl
