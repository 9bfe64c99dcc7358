#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/apiserver/objects/resource_type.h"

namespace inferd::apiserver {

// The refusal of a request, in Kubernetes' form and words (apimachinery: api/errors). The functions are thread-safe.
struct ApiError {
  int code = 500;      // HTTP status
  std::string reason;  // "NotFound"
  std::string message;
  manifest::Value details{};  // may be null
};

template <typename T>
using ApiResult = std::expected<T, ApiError>;

// Returns the error as an object of the kind Status.
manifest::Value StatusOf(const ApiError& error);

ApiError NotFoundError(const ResourceType& type, std::string_view name);
ApiError AlreadyExistsError(const ResourceType& type, std::string_view name);
// `why` is, for example: "the object has been modified; please apply your changes to the latest version and try again".
ApiError ConflictError(const ResourceType& type, std::string_view name, std::string_view why);
// Returns the error for problems of an object's fields.
ApiError InvalidError(const ResourceType& type, std::string_view name, const manifest::Problems& problems);
// Returns the error for an admission webhook's denial.
ApiError DeniedError(std::string_view webhook, std::string_view message);
ApiError BadRequestError(std::string message);
ApiError ForbiddenError(const ResourceType& type, std::string_view name, std::string_view why);
// Returns the error for a request with no token or a wrong one.
ApiError UnauthorizedError();
ApiError MethodNotAllowedError();
ApiError UnknownPathError();
ApiError ExpiredError(std::string message);
ApiError UnsupportedMediaTypeError(std::string_view supported);
ApiError TooLargeError(std::string message);
ApiError InternalError(std::string_view message);

}  // namespace inferd::apiserver
