#include "ctl/cluster/cluster_api.h"

#include <algorithm>
#include <cctype>

#include "base/text/percent.h"
#include "data/manifest/read.h"

namespace inferd::ctl {

namespace {

using manifest::Value;

constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
constexpr manifest::Limits kSentLimits = {
    .file_bytes_max = 1 << 30, .depth_max = 256, .members_max = 1 << 20, .nodes_max = 50'000'000, .bytes_max = 1 << 30};

base::StatusCode CodeOfStatus(int http) {
  switch (http) {
    case 404: return base::StatusCode::kNotFound;
    case 409: return base::StatusCode::kAborted;
    case 503: return base::StatusCode::kUnavailable;
    default: return base::StatusCode::kFailedPrecondition;
  }
}

// Converts an error response, with the server's own text if it has one.
base::Status RefusalOf(const net::ClientResponse& response) {
  const auto sent = ReadSent(response.body);
  std::string reason;
  std::string message = "HTTP " + std::to_string(response.status);
  if (sent.has_value() && !sent->empty() && !FieldText(sent->front(), {"message"}).empty()) {
    reason = FieldText(sent->front(), {"reason"});
    message = FieldText(sent->front(), {"message"});
  }
  return {CodeOfStatus(response.status),
          "Error from server" + (reason.empty() ? "" : " (" + reason + ")") + ": " + message};
}

std::string Lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string GroupOf(const std::string& group_version) {
  const size_t slash = group_version.find('/');
  return slash == std::string::npos ? "" : group_version.substr(0, slash);
}

}  // namespace

base::Result<std::vector<Value>> ReadSent(std::string_view text) {
  auto documents = manifest::ReadJson(text, "answer", kSentLimits);
  if (!documents.has_value())
    return std::unexpected(base::Internal("the server sent no JSON: " + documents.error().message()));
  return documents;
}

std::string FieldText(const Value& value, std::initializer_list<std::string_view> keys) {
  const Value* found = &value;
  for (const std::string_view key : keys) {
    found = found == nullptr ? nullptr : found->Find(key);
  }
  if (found == nullptr) return {};
  return found->is(manifest::Kind::kBool) ? (found->boolean() ? "true" : "false") : found->text();
}

std::string ApiResource::full_name() const {
  const std::string group = GroupOf(group_version);
  return singular + (group.empty() ? "" : "." + group);
}

std::string ApiResource::Path(std::string_view namespace_name, std::string_view name) const {
  std::string path = (group_version.find('/') == std::string::npos ? "/api/" : "/apis/") + group_version;
  if (namespaced && !namespace_name.empty()) path += "/namespaces/" + base::PercentEncoded(namespace_name);
  path += "/" + plural;
  if (!name.empty()) path += "/" + base::PercentEncoded(name);
  return path;
}

base::Result<ClusterApi> ClusterApi::Open(net::HttpClient::Options options, Headers headers) {
  INFERD_ASSIGN_OR_RETURN(auto client, net::HttpClient::Create(std::move(options)));
  return ClusterApi(std::move(client), std::move(headers));
}

base::Result<std::string> ClusterApi::Call(net::ClientRequest request) {
  request.headers.insert(request.headers.end(), headers_.begin(), headers_.end());
  INFERD_ASSIGN_OR_RETURN(net::ClientResponse response, client_->Call(request));
  if (response.status >= 300) return std::unexpected(RefusalOf(response));
  return std::move(response.body);
}

base::Result<Value> ClusterApi::CallForValue(net::ClientRequest request) {
  INFERD_ASSIGN_OR_RETURN(const std::string text, Call(std::move(request)));
  INFERD_ASSIGN_OR_RETURN(std::vector<Value> sent, ReadSent(text));
  if (sent.size() != 1) return std::unexpected(base::Internal("the server sent no object"));
  return std::move(sent.front());
}

base::Result<Value> ClusterApi::Get(const std::string& path) {
  return CallForValue({.path = path, .headers = {{"Accept", "application/json"}}});
}

base::Result<Value> ClusterApi::GetTable(const std::string& path) {
  return CallForValue({.path = path, .headers = {{"Accept", std::string(kTable)}}});
}

base::Result<std::string> ClusterApi::GetText(const std::string& path, std::string_view accept) {
  return Call({.path = path, .headers = {{"Accept", std::string(accept == "table" ? kTable : accept)}}});
}

base::Status ClusterApi::Stream(const std::string& path, const std::function<void(std::string_view)>& on_text) {
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response,
                          client_->Stream({.path = path, .headers = headers_}, on_text));
  return response.status >= 300 ? RefusalOf(response) : base::OkStatus();
}

base::Result<Value> ClusterApi::Send(const std::string& method, const std::string& path, std::string_view content_type,
                                     std::string body) {
  return CallForValue({.method = method,
                       .path = path,
                       .headers = {{"Accept", "application/json"}, {"Content-Type", std::string(content_type)}},
                       .body = std::move(body)});
}

base::Result<Value> ClusterApi::Patch(const std::string& path, std::string merge_patch) {
  return Send("PATCH", path, "application/merge-patch+json", std::move(merge_patch));
}

base::Status ClusterApi::Discover() {
  if (!resources_.empty()) return base::OkStatus();
  std::vector<std::string> group_versions = {"v1"};
  INFERD_ASSIGN_OR_RETURN(const Value groups, Get("/apis"));
  if (const Value* const list = groups.Find("groups"); list != nullptr) {
    for (const Value& group : list->items()) {
      const Value* const versions = group.Find("versions");
      if (versions == nullptr) continue;
      for (const Value& version : versions->items()) group_versions.push_back(FieldText(version, {"groupVersion"}));
    }
  }
  for (const std::string& group_version : group_versions) {
    const bool core = group_version.find('/') == std::string::npos;
    INFERD_ASSIGN_OR_RETURN(const Value listed, Get((core ? "/api/" : "/apis/") + group_version));
    const Value* const list = listed.Find("resources");
    if (list == nullptr) continue;
    for (const Value& item : list->items()) {
      ApiResource resource{.group_version = group_version,
                           .plural = FieldText(item, {"name"}),
                           .singular = FieldText(item, {"singularName"}),
                           .kind = FieldText(item, {"kind"}),
                           .short_names = {},
                           .namespaced = FieldText(item, {"namespaced"}) == "true"};
      if (resource.plural.find('/') != std::string::npos) continue;
      if (resource.singular.empty()) resource.singular = Lowered(resource.kind);
      if (const Value* const names = item.Find("shortNames"); names != nullptr) {
        for (const Value& name : names->items()) resource.short_names.push_back(name.text());
      }
      resources_.push_back(std::move(resource));
    }
  }
  return base::OkStatus();
}

base::Result<ApiResource> ClusterApi::FindResource(const std::string& name) {
  INFERD_RETURN_IF_ERROR(Discover());
  const std::string wanted = Lowered(name);
  for (const ApiResource& resource : resources_) {
    std::vector<std::string> names = {resource.plural, resource.singular, Lowered(resource.kind)};
    const std::string group = GroupOf(resource.group_version);
    if (!group.empty()) {
      names.push_back(resource.plural + "." + group);
      names.push_back(resource.singular + "." + group);
    }
    names.insert(names.end(), resource.short_names.begin(), resource.short_names.end());
    if (std::ranges::find(names, wanted) != names.end()) return resource;
  }
  return std::unexpected(base::InvalidArgument("the server doesn't have a resource type \"" + name + "\""));
}

base::Result<ApiResource> ClusterApi::FindKind(const std::string& api_version, const std::string& kind) {
  INFERD_RETURN_IF_ERROR(Discover());
  for (const ApiResource& resource : resources_) {
    if (resource.group_version == api_version && resource.kind == kind) return resource;
  }
  return std::unexpected(
      base::InvalidArgument("no matches for kind \"" + kind + "\" in version \"" + api_version + "\""));
}

}  // namespace inferd::ctl
