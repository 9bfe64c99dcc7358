#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kserve/apiserver/objects/resource_type.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// The query parameters of a request target, percent-decoded. Of a repeated parameter, the first value counts. Owns its
// texts.
class Query {
 public:
  explicit Query(std::string_view text);

  // Returns the parameter's value. Empty if it is absent.
  std::string_view Get(std::string_view name) const;
  bool IsTrue(std::string_view name) const;
  // Returns the parameter's value. nullopt if it is absent or not a number from 0 on.
  std::optional<int64_t> GetNumber(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// The resource that a request's path names (Kubernetes: API conventions): a collection, or an object of it. Refers to
// the request's head.
struct ApiPath {
  const ResourceType* type = nullptr;
  std::string_view namespace_name;  // empty for all namespaces, or for a cluster-wide resource
  std::string_view name;            // empty for the collection
  std::string_view subresource;     // "status", "log"; empty for the object itself
};

// Parses the path. nullopt if it names no resource of this API.
std::optional<ApiPath> ParseApiPath(const net::RequestHead& head);

}  // namespace inferd::apiserver
