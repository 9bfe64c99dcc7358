#include "kserve/apiserver/http/request_body.h"

#include <utility>

#include "data/manifest/read.h"
#include "data/manifest/value_path.h"
#include "kserve/apiserver/http/api_path.h"

namespace inferd::apiserver {

namespace {

using manifest::Value;

std::string_view MediaType(const net::RequestHead& head) {
  std::string_view type = head.Find("Content-Type").value_or("");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return type;
}

std::string_view TextOf(const net::HttpRequest& request) {
  return {reinterpret_cast<const char*>(request.body.data()), request.body.size()};
}

ApiResult<Value> OneOf(base::Result<std::vector<Value>> documents) {
  if (!documents.has_value()) return std::unexpected(BadRequestError(documents.error().message()));
  if (documents->size() != 1) return std::unexpected(BadRequestError("the body of the request must be one object"));
  return std::move(documents->front());
}

ApiResult<DeleteOptions> WithPropagation(DeleteOptions options, const std::string& policy) {
  if (policy == "Foreground") {
    options.propagation = DeletePropagation::kForeground;
  } else if (policy == "Orphan") {
    options.propagation = DeletePropagation::kOrphan;
  } else if (!policy.empty() && policy != "Background") {
    return std::unexpected(
        ApiError{422, "Invalid",
                 "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"" + policy +
                     "\": supported values: \"Background\", \"Foreground\", \"Orphan\""});
  }
  return options;
}

}  // namespace

ApiResult<Value> ReadBody(const net::HttpRequest& request) {
  const std::string_view type = MediaType(request.head);
  if (type == "application/json") return OneOf(manifest::ReadJson(TextOf(request), "body"));
  if (type == "application/yaml") return OneOf(manifest::ReadYaml(TextOf(request), "body"));
  return std::unexpected(UnsupportedMediaTypeError("application/json, application/yaml"));
}

ApiResult<PatchBody> ReadPatch(const net::HttpRequest& request) {
  const std::string_view type = MediaType(request.head);
  PatchBody patch;
  if (type == "application/json-patch+json") {
    patch.type = PatchType::kJson;
  } else if (type == "application/merge-patch+json") {
    patch.type = PatchType::kMerge;
  } else if (type == "application/strategic-merge-patch+json") {
    patch.type = PatchType::kStrategic;
  } else if (type == "application/apply-patch+yaml") {
    patch.type = PatchType::kApply;
  } else {
    return std::unexpected(
        UnsupportedMediaTypeError("application/json-patch+json, application/merge-patch+json, "
                                  "application/apply-patch+yaml"));
  }
  auto document = OneOf(patch.type == PatchType::kApply ? manifest::Read(TextOf(request), "body")
                                                        : manifest::ReadJson(TextOf(request), "body"));
  if (!document.has_value()) return std::unexpected(document.error());
  patch.document = *std::move(document);
  return patch;
}

ApiResult<DeleteOptions> ReadDeleteOptions(const net::HttpRequest& request) {
  DeleteOptions options;
  const Query query(request.head.query);
  options.dry_run = query.Get("dryRun") == "All";
  std::string policy(query.Get("propagationPolicy"));
  if (query.Get("orphanDependents") == "true") policy = "Orphan";
  if (request.body.size() == 0) return WithPropagation(std::move(options), policy);
  auto body = ReadBody(request);
  if (!body.has_value()) return std::unexpected(body.error());
  options.uid = TextAt(*body, {"preconditions", "uid"});
  options.resource_version = TextAt(*body, {"preconditions", "resourceVersion"});
  if (const Value* const dry_run = body->Find("dryRun"); dry_run != nullptr && !dry_run->items().empty()) {
    options.dry_run = true;
  }
  const Value* const orphan = body->Find("orphanDependents");
  if (const std::string own = TextAt(*body, {"propagationPolicy"}); !own.empty()) policy = own;
  if (orphan != nullptr && orphan->boolean()) policy = "Orphan";
  return WithPropagation(std::move(options), policy);
}

}  // namespace inferd::apiserver
