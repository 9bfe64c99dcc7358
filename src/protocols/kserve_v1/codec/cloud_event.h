#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/json/writer.h"
#include "net/http/http.h"
#include "protocols/kserve_v1/codec/options.h"

namespace inferd::kserve_v1 {

// An event of the CloudEvents specification (1.0, or 0.3) over HTTP: a request or its response. In binary mode its
// attributes are headers and its data is the body. In structured mode the body has both. Movable.
class CloudEvent final {
 public:
  // Reads the event of a request's head. Null if it is not an event: its Content-Type is not
  // application/cloudevents+json, and one of the headers ce-id, ce-source, ce-specversion and ce-type is missing.
  // INVALID_ARGUMENT for an unknown version.
  static base::Result<std::unique_ptr<CloudEvent>> Of(const net::RequestHead& head);
  // Returns true if the request is a CloudEvent of any version.
  static bool IsIn(const net::RequestHead& head);

  // Returns the data, and in structured mode also reads the attributes. The view lives as long as this object and
  // `body`. INVALID_ARGUMENT if there is no data, or no event.
  base::Result<std::string_view> ReadData(std::string_view body, size_t depth_max);

  // Returns an event in the same mode for a response of `model`, with a new id.
  CloudEvent Answer(const config::EventOptions& options, std::string_view model, int64_t wall_ns) const;

  // Begin() writes the part before the data, which is JSON and is written next. End() then makes the response.
  void Begin(json::Writer& json) const;
  net::HttpResponse End(json::Writer&& json) const;

 private:
  enum class Mode { kBinary, kStructured };
  struct Attribute {
    std::string name;
    std::string value;  // text; in structured mode, JSON
  };

  explicit CloudEvent(Mode mode) : mode_(mode) {}
  const std::string* Find(std::string_view name) const;
  void Add(std::string_view name, std::string_view text);
  base::Status Check() const;

  Mode mode_;
  std::vector<Attribute> attributes_;
  std::string decoded_;  // data that was base64
};

// Returns the data, as written, of a JSON object that has all the members of an event in structured mode. Empty if it
// is not one. A view into `body`.
std::string_view FindEventData(std::string_view body, size_t depth_max);

}  // namespace inferd::kserve_v1
