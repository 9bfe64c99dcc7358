#include "protocols/rest/event_form.h"

#include <array>
#include <utility>

#include "base/text/ascii_case.h"
#include "net/http/weighted_list.h"

namespace inferd::rest {

namespace {

constexpr std::array<std::pair<std::string_view, EventForm>, 5> kTypes = {{
    {"application/json", EventForm::kNone},
    {"text/event-stream", EventForm::kServerSent},
    {"application/x-ndjson", EventForm::kLines},
    {"application/ndjson", EventForm::kLines},
    {"application/jsonl", EventForm::kLines},
}};

}  // namespace

EventForm AcceptedEventForm(std::string_view accept) {
  EventForm best = EventForm::kNone;
  int best_weight = 0;
  net::WeightedList list(accept);
  while (const auto item = list.Next()) {
    for (const auto& [name, form] : kTypes) {
      if (item->weight <= best_weight || !base::EqualWithoutCase(item->name, name)) continue;
      best = form;
      best_weight = item->weight;
    }
  }
  return list.malformed() ? EventForm::kNone : best;
}

std::string_view ContentTypeOf(EventForm form) {
  return form == EventForm::kServerSent ? "text/event-stream; charset=utf-8" : "application/x-ndjson";
}

EventFrame FrameOf(EventForm form) {
  if (form == EventForm::kServerSent) return {.before = "data: ", .behind = "\n\n"};
  return {.before = "", .behind = "\n"};
}

}  // namespace inferd::rest
