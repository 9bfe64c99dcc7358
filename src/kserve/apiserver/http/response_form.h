#pragma once

#include <string>
#include <string_view>

#include "data/manifest/value.h"
#include "kserve/apiserver/http/api_path.h"
#include "kserve/apiserver/http/table.h"
#include "kserve/apiserver/objects/api_error.h"
#include "kserve/apiserver/store/stored_object.h"
#include "net/http/http.h"

namespace inferd::apiserver {

inline constexpr std::string_view kJsonType = "application/json";

// The minimum size of JSON that is sent as the store's own memory, in bytes. Copying a smaller text is cheaper.
inline constexpr size_t kSharedBytesMin = 16 * 1024;
// Returns the object's JSON, without a copy.
base::BufferSlice SliceOf(const ObjectPtr& object);

// How a request asks for table rows instead of objects (Accept, includeObject).
struct RowForm {
  bool table = false;
  TableObjects with = TableObjects::kMetadata;
};
RowForm RowFormOf(const net::RequestHead& head, const Query& query);

net::HttpResponse JsonResponse(int status, std::string_view json);
net::HttpResponse ObjectResponse(int status, const ObjectPtr& object);
net::HttpResponse ErrorResponse(const ApiError& error);
// Returns the transport's refusal as an object of the kind Status.
net::HttpResponse TransportRefusal(int status, std::string_view text);

}  // namespace inferd::apiserver
