#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "data/manifest/value.h"
#include "kserve/kubernetes/api/api_error.h"

namespace inferd::kubernetes {

// A change of an object.
struct WatchEvent {
  enum class Type : uint8_t {
    kAdded,
    kModified,
    kDeleted,
    kBookmark,  // no change; tells the server's current version
  };

  Type type = Type::kAdded;
  manifest::Value object;
};

// Decodes the body of a watch: one line of JSON per event. The body may arrive in pieces of any size.
//
//   {"type":"ADDED","object":{...}}
//
// Not thread-safe.
class WatchDecoder final {
 public:
  using Sink = std::function<ApiResult<void>(WatchEvent)>;

  // `line_bytes_max` limits the size of an event.
  explicit WatchDecoder(size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  // Passes each complete event to the sink. The caller must not call again after an error. Errors: the sink's own; the
  // content of an event of type ERROR; DATA_LOSS if the server sends an invalid event; RESOURCE_EXHAUSTED if a line is
  // too long. An incomplete line is never passed on, so that an interrupted watch can continue after its last event.
  ApiResult<void> Feed(std::string_view bytes, const Sink& sink);
  // True if the last piece ended within a line.
  bool is_within_event() const { return line_.find_first_not_of(" \t\r") != std::string::npos; }

 private:
  const size_t line_bytes_max_;
  std::string line_;  // the line's beginning, from earlier pieces
};

}  // namespace inferd::kubernetes
