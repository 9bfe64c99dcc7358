#pragma once

#include <cstdint>
#include <string_view>

namespace inferd::rest {

// The form of streamed responses of one inference: each is one event with JSON data.
enum class EventForm : uint8_t {
  kNone,        // not streamed: there is one response
  kServerSent,  // server-sent events (HTML Living Standard, 9.2): "data: {...}\n\n"
  kLines,       // one line of JSON each (NDJSON)
};

// Returns the form that an Accept header requests (RFC 9110, 12.5.1): text/event-stream, application/x-ndjson (also
// application/ndjson and application/jsonl), or one response. Of the named types, the one with the highest weight is
// used, and the first among equals. kNone if the header names none of them, or its weights are malformed.
EventForm AcceptedEventForm(std::string_view accept);

std::string_view ContentTypeOf(EventForm form);

// The text around the JSON of one event. Both are literals.
struct EventFrame {
  std::string_view before;
  std::string_view behind;
};
EventFrame FrameOf(EventForm form);

}  // namespace inferd::rest
