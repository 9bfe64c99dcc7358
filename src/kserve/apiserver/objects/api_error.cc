#include "kserve/apiserver/objects/api_error.h"
#include "data/manifest/value_path.h"

#include <utility>

namespace inferd::apiserver {

namespace {

using manifest::Text;
using manifest::Value;

Value DetailsOf(const ResourceType& type, std::string_view name) {
  Value details = Value::Map();
  if (!name.empty()) details.Set("name", Text(name));
  if (!type.group.empty()) details.Set("group", Text(type.group));
  details.Set("kind", Text(type.plural));
  return details;
}

std::string Named(const ResourceType& type, std::string_view name) {
  return type.resource() + " \"" + std::string(name) + "\"";
}

}  // namespace

Value StatusOf(const ApiError& error) {
  Value status = Value::Map({{"kind", Text("Status")},
                             {"apiVersion", Text("v1")},
                             {"metadata", Value::Map()},
                             {"status", Text("Failure")},
                             {"message", Text(error.message)},
                             {"reason", Text(error.reason)}});
  if (error.details.is(manifest::Kind::kMap)) status.Set("details", error.details);
  status.Set("code", Value::Int(error.code));
  return status;
}

ApiError NotFoundError(const ResourceType& type, std::string_view name) {
  return {404, "NotFound", Named(type, name) + " not found", DetailsOf(type, name)};
}

ApiError AlreadyExistsError(const ResourceType& type, std::string_view name) {
  return {409, "AlreadyExists", Named(type, name) + " already exists", DetailsOf(type, name)};
}

ApiError ConflictError(const ResourceType& type, std::string_view name, std::string_view why) {
  return {409, "Conflict", "Operation cannot be fulfilled on " + Named(type, name) + ": " + std::string(why),
          DetailsOf(type, name)};
}

ApiError InvalidError(const ResourceType& type, std::string_view name, const manifest::Problems& problems) {
  Value causes = Value::List();
  std::string all;
  for (const manifest::Problem& problem : problems) {
    const std::string text = (problem.path.empty() ? "" : problem.path + ": ") + "Invalid value: " + problem.message;
    all += (all.empty() ? "" : ", ") + text;
    causes.items().push_back(Value::Map({{"reason", Text("FieldValueInvalid")},
                                         {"message", Text("Invalid value: " + problem.message)},
                                         {"field", Text(problem.path)}}));
  }
  if (problems.size() > 1) all = "[" + all + "]";
  const std::string kind = std::string(type.kind) + (type.group.empty() ? "" : "." + std::string(type.group));
  Value details = DetailsOf(type, name);
  details.Set("kind", Text(type.kind));
  details.Set("causes", std::move(causes));
  return {422, "Invalid", kind + " \"" + std::string(name) + "\" is invalid: " + all, std::move(details)};
}

// Kubernetes uses the text of the webhook's response as the reason.
ApiError DeniedError(std::string_view webhook, std::string_view message) {
  return {403, std::string(message),
          "admission webhook \"" + std::string(webhook) + "\" denied the request: " + std::string(message)};
}

ApiError BadRequestError(std::string message) { return {400, "BadRequest", std::move(message)}; }

ApiError ForbiddenError(const ResourceType& type, std::string_view name, std::string_view why) {
  return {403, "Forbidden", Named(type, name) + " is forbidden: " + std::string(why), DetailsOf(type, name)};
}

ApiError UnauthorizedError() { return {401, "Unauthorized", "Unauthorized"}; }

ApiError MethodNotAllowedError() {
  return {405, "MethodNotAllowed", "the server does not allow this method on the requested resource", Value::Map()};
}

ApiError UnknownPathError() {
  return {404, "NotFound", "the server could not find the requested resource", Value::Map()};
}

ApiError ExpiredError(std::string message) { return {410, "Expired", std::move(message)}; }

ApiError UnsupportedMediaTypeError(std::string_view supported) {
  return {415, "UnsupportedMediaType",
          "the body of the request was in an unknown format - accepted media types include: " + std::string(supported)};
}

ApiError TooLargeError(std::string message) { return {413, "RequestEntityTooLarge", std::move(message)}; }

ApiError InternalError(std::string_view message) {
  return {500, "InternalError", "Internal error occurred: " + std::string(message)};
}

}  // namespace inferd::apiserver
