#pragma once

#include <cstdint>
#include <string_view>

namespace inferd::rest {

// How the responses of one inference go to the client as they come, each as one event whose data are JSON.
enum class EventForm : uint8_t {
  kNone,        // not at all: there is one answer
  kServerSent,  // server-sent events (HTML Living Standard, 9.2): "data: {...}\n\n"
  kLines,       // one line of JSON each (NDJSON)
};

// What an Accept header asks for (RFC 9110, 12.5.1): text/event-stream, application/x-ndjson (also application/ndjson
// and application/jsonl), or one answer: of the types that it names, the one with the highest weight, the first among
// equals. kNone where it names none of them, and where its weights are malformed.
EventForm AcceptedEventForm(std::string_view accept);

std::string_view ContentTypeOf(EventForm form);

// What stands around the JSON of one event. Both are literals.
struct EventFrame {
  std::string_view before;
  std::string_view behind;
};
EventFrame FrameOf(EventForm form);

}  // namespace inferd::rest
