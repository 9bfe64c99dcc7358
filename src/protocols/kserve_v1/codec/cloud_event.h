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

// An event of the CloudEvents specification (1.0, or 0.3) as HTTP carries it: what a request is, or its answer. In
// binary mode its attributes are headers and its data is the body, in structured mode the body has both. Movable.
class CloudEvent final {
 public:
  // What a request's head says of it. Null: it is no event: its Content-Type is not application/cloudevents+json, and
  // it lacks one of the headers ce-id, ce-source, ce-specversion and ce-type. INVALID_ARGUMENT: of an unknown version.
  static base::Result<std::unique_ptr<CloudEvent>> Of(const net::RequestHead& head);
  // Whether it is one, whatever its version.
  static bool IsIn(const net::RequestHead& head);

  // The data, and in structured mode the attributes; the view lives as long as this and `body`. INVALID_ARGUMENT: there
  // is no data, or no event.
  base::Result<std::string_view> ReadData(std::string_view body, size_t depth_max);

  // An event in the same mode that says what an answer of `model` is, with an id of its own.
  CloudEvent Answer(const config::EventOptions& options, std::string_view model, int64_t wall_ns) const;

  // What goes before the data, which is JSON and is written next; and the response, afterwards.
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
  std::string decoded_;  // data that came as base64
};

// Of a JSON object that has all the members of an event in structured mode: its data, as it is written; empty: it is
// none. A view into `body`.
std::string_view FindEventData(std::string_view body, size_t depth_max);

}  // namespace inferd::kserve_v1
