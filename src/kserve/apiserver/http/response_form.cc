#include "kserve/apiserver/http/response_form.h"

#include "data/manifest/print.h"

namespace inferd::apiserver {

RowForm RowFormOf(const net::RequestHead& head, const Query& query) {
  const std::string_view accept = head.Find("Accept").value_or("");
  const std::string_view with = query.Get("includeObject");
  return {.table = accept.find("as=Table") != std::string_view::npos,
          .with = with == "None"     ? TableObjects::kNone
                  : with == "Object" ? TableObjects::kObject
                                     : TableObjects::kMetadata};
}

base::BufferSlice SliceOf(const ObjectPtr& object) {
  // The cast is safe: the memory is only read, and the object is immutable.
  auto* const data = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(object->json.data()));
  return base::BufferSlice(base::Buffer::Wrap(data, object->json.size(), [object] {}));
}

net::HttpResponse ObjectResponse(int status, const ObjectPtr& object) {
  if (object->json.size() < kSharedBytesMin) return JsonResponse(status, object->json + "\n");
  net::HttpResponse response = JsonResponse(status, "");
  response.body = {SliceOf(object), base::BufferSlice(base::Buffer::CopyOf("\n"))};
  return response;
}

net::HttpResponse JsonResponse(int status, std::string_view json) {
  return net::HttpResponse::Text(status, kJsonType, json);
}

net::HttpResponse ErrorResponse(const ApiError& error) {
  net::HttpResponse response = JsonResponse(error.code, manifest::ToJson(StatusOf(error)));
  if (error.code == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (error.code == 429) response.headers.emplace_back("Retry-After", "1");
  return response;
}

net::HttpResponse TransportRefusal(int status, std::string_view text) {
  const char* reason = "BadRequest";
  if (status == 413) reason = "RequestEntityTooLarge";
  if (status == 408) reason = "Timeout";
  if (status == 429) reason = "TooManyRequests";
  if (status == 404) reason = "NotFound";
  if (status >= 500) reason = status == 503 ? "ServiceUnavailable" : "InternalError";
  return ErrorResponse({.code = status, .reason = reason, .message = std::string(text)});
}

}  // namespace inferd::apiserver
