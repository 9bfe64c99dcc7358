#include "protocols/rest/event_form.h"

#include <gtest/gtest.h>

namespace inferd::rest {
namespace {

TEST(EventFormTest, WhatAClientAccepts) {
  const std::pair<std::string_view, EventForm> cases[] = {
      {"", EventForm::kNone},
      {"*/*", EventForm::kNone},
      {"text/*", EventForm::kNone},
      {"application/json", EventForm::kNone},
      {"text/event-stream", EventForm::kServerSent},
      {"Text/Event-Stream; charset=utf-8", EventForm::kServerSent},
      {"application/x-ndjson", EventForm::kLines},
      {"application/ndjson", EventForm::kLines},
      {"application/jsonl", EventForm::kLines},
      {"text/event-stream, */*", EventForm::kServerSent},
      {"application/json, text/event-stream", EventForm::kNone},  // the first among equals
      {"text/event-stream, application/json", EventForm::kServerSent},
      {"application/json;q=0.5, text/event-stream", EventForm::kServerSent},
      {"text/event-stream;q=0.1, application/x-ndjson;q=0.2", EventForm::kLines},
      {"text/event-stream;q=0", EventForm::kNone},
      {"text/event-stream;q=high", EventForm::kNone},
      {"text/event-stream, x;q=2", EventForm::kNone},
  };
  for (const auto& [accept, form] : cases) EXPECT_EQ(AcceptedEventForm(accept), form) << accept;
}

}  // namespace
}  // namespace inferd::rest
