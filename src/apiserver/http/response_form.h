#pragma once

#include <string>
#include <string_view>

#include "apiserver/http/api_path.h"
#include "apiserver/http/table.h"
#include "apiserver/objects/api_error.h"
#include "manifest/value.h"
#include "net/http/http.h"

namespace inferd::apiserver {

inline constexpr std::string_view kJsonType = "application/json";

// Whether a request asks for rows instead of objects, and with what (Accept, includeObject).
struct RowForm {
  bool table = false;
  TableObjects with = TableObjects::kMetadata;
};
RowForm RowFormOf(const net::RequestHead& head, const Query& query);

net::HttpResponse JsonResponse(int status, std::string_view json);
net::HttpResponse ErrorResponse(const ApiError& error);
// What the transport refuses, as an object of the kind Status.
net::HttpResponse TransportRefusal(int status, std::string_view text);

}  // namespace inferd::apiserver
