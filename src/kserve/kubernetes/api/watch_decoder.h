#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "data/manifest/value.h"
#include "kserve/kubernetes/api/api_error.h"

namespace inferd::kubernetes {

// What has become of an object.
struct WatchEvent {
  enum class Type : uint8_t {
    kAdded,
    kModified,
    kDeleted,
    kBookmark,  // of none: how far the server is
  };

  Type type = Type::kAdded;
  manifest::Value object;
};

// Takes an answer to a watch apart: a line of JSON for each event, which comes in pieces that end anywhere.
//
//   {"type":"ADDED","object":{...}}
//
// Not thread-safe.
class WatchDecoder final {
 public:
  using Sink = std::function<ApiResult<void>(WatchEvent)>;

  // `line_bytes_max`: of one event.
  explicit WatchDecoder(size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  // Hands each event that is whole on. The first error is the last call: the sink's own; what an event of type ERROR
  // says; DATA_LOSS: the server sends what is no event; RESOURCE_EXHAUSTED: a line is too long. Nothing of a line that
  // is not whole is ever handed on, so that a stream that is cut can be taken up behind its last event.
  ApiResult<void> Feed(std::string_view bytes, const Sink& sink);

 private:
  const size_t line_bytes_max_;
  std::string line_;  // begun in an earlier piece
};

}  // namespace inferd::kubernetes
