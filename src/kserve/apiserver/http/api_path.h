#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kserve/apiserver/objects/resource_type.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// The parameters behind a target's '?', percent-decoded; of one that is given twice, the first. Views into nothing.
class Query {
 public:
  explicit Query(std::string_view text);

  // Empty: it is not there.
  std::string_view Get(std::string_view name) const;
  bool IsTrue(std::string_view name) const;
  // nullopt: it is not there, or no number from 0 on.
  std::optional<int64_t> GetNumber(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// What a request's path names (Kubernetes: API conventions): a collection, or an object of it. Views into the head.
struct ApiPath {
  const ResourceType* type = nullptr;
  std::string_view namespace_name;  // empty: of all namespaces, or of the cluster
  std::string_view name;            // empty: the collection
  std::string_view subresource;     // "status", "log"; empty: the object itself
};

// nullopt: it names no resource of ours.
std::optional<ApiPath> ParseApiPath(const net::RequestHead& head);

}  // namespace inferd::apiserver
