#include "kserve/kubernetes/coordination/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class EventRecorderTest : public testing::Test {
 protected:
  void Script(std::vector<std::string> answers) {
    api.emplace(std::move(answers));
    client.emplace(*api, SenderOptions{.requests_per_second = 1e6, .burst = 1000, .retry = {.attempts = 1}});
    recorder.emplace(**client, "inferd-controller", client->clock());
  }
  void Record(const std::string& message, const std::string& pod = "p") {
    const auto recorded = recorder->Record(FromJson(PodJson(pod, 7)), "Warning", "Failed", message);
    errors += recorded.has_value() ? "" : recorded.error().ToString();
  }
  // Returns the body of a request.
  manifest::Value Sent(size_t i) {
    const std::string request = api->requests().at(i);
    return FromJson(request.substr(request.find("\r\n\r\n") + 4));
  }

  static std::vector<std::string> Good(size_t count) { return std::vector<std::string>(count, Answer(200, "{}")); }

  std::optional<ScriptedApi> api;
  std::optional<ScriptedClient> client;
  std::optional<EventRecorder> recorder;
  std::string errors;
};

TEST_F(EventRecorderTest, AnEventSaysWhatItIsAbout) {
  Script(Good(1));
  Record("no such model");
  EXPECT_EQ(errors, "");
  EXPECT_THAT(api->lines(), ElementsAre("POST /api/v1/namespaces/a/events"));
  const auto event = Sent(0);
  EXPECT_THAT(NameOf(event).name, StartsWith("p."));
  EXPECT_EQ(TextAt(event, {"involvedObject", "kind"}), "Pod");
  EXPECT_EQ(TextAt(event, {"involvedObject", "uid"}), "u-p");
  EXPECT_EQ(TextAt(event, {"involvedObject", "resourceVersion"}), "7");
  EXPECT_EQ(TextAt(event, {"source", "component"}), "inferd-controller");
  EXPECT_EQ(TextAt(event, {"message"}), "no such model");
  EXPECT_EQ(TextAt(event, {"count"}), "1");
  EXPECT_EQ(TextAt(event, {"firstTimestamp"}), TextAt(event, {"lastTimestamp"}));
}

TEST_F(EventRecorderTest, TheSameWordsRaiseTheCount) {
  Script(Good(3));
  for (int i = 0; i < 3; ++i) Record("again");
  const std::string path = "PATCH /api/v1/namespaces/a/events/" + NameOf(Sent(0)).name;
  EXPECT_THAT(api->lines(), ElementsAre("POST /api/v1/namespaces/a/events", path, path));
  EXPECT_EQ(TextAt(Sent(2), {"count"}), "3");
}

TEST_F(EventRecorderTest, AnEventThatIsGoneBeginsAnew) {
  Script({Answer(201, "{}"), Answer(404, StatusJson(404, "NotFound", "gone")), Answer(201, "{}"), Answer(200, "{}")});
  for (int i = 0; i < 3; ++i) Record("again");
  EXPECT_EQ(errors, "");
  EXPECT_EQ(TextAt(Sent(2), {"count"}), "1");
  EXPECT_EQ(TextAt(Sent(3), {"count"}), "2");
}

TEST_F(EventRecorderTest, AnEventThatFailsIsMadeWhenItComesAgain) {
  Script({Answer(403, StatusJson(403, "Forbidden", "no")), Answer(201, "{}")});
  Record("x");
  Record("x");
  EXPECT_EQ(errors, "Forbidden: no");
  EXPECT_THAT(api->lines(), SizeIs(2));
}

TEST_F(EventRecorderTest, ManyMessagesOfOneReasonBecomeOneEvent) {
  Script(Good(13));
  for (int i = 0; i < 13; ++i) Record("failed " + std::to_string(i));
  EXPECT_EQ(TextAt(Sent(10), {"message"}), "(combined from similar events): failed 10");
  EXPECT_THAT(api->lines()[11], StartsWith("PATCH "));
  EXPECT_EQ(TextAt(Sent(12), {"count"}), "3");
}

TEST_F(EventRecorderTest, AnObjectHasAnAllowance) {
  Script(Good(60));
  for (int i = 0; i < 40; ++i) Record("again");
  EXPECT_THAT(api->lines(), SizeIs(EventRecorder::kBurst));
  Record("of another", "q");
  EXPECT_THAT(api->lines(), SizeIs(EventRecorder::kBurst + 1));
  client->clock().AdvanceMs(300'000);
  Record("again");
  Record("again");
  EXPECT_THAT(api->lines(), SizeIs(EventRecorder::kBurst + 2));
}

TEST_F(EventRecorderTest, WhatIsKnownHasALimit) {
  const size_t objects = EventRecorder::kEventsMax + 1;
  Script(Good(objects + 2));
  for (size_t i = 0; i < objects; ++i) Record("x", "p" + std::to_string(i));
  Record("x", "p" + std::to_string(objects - 1));
  Record("x", "p0");
  EXPECT_EQ(errors, "");
  EXPECT_THAT(api->lines()[objects], StartsWith("PATCH "));
  EXPECT_THAT(api->lines()[objects + 1], StartsWith("POST ")) << "the oldest was forgotten";
}

TEST_F(EventRecorderTest, WordsAndNamesAreCut) {
  Script(Good(1));
  std::string message;
  while (message.size() < 2000) message += "é";
  Record(message, std::string(253, 'n'));
  EXPECT_EQ(TextAt(Sent(0), {"message"}).size(), EventRecorder::kMessageBytesMax);
  EXPECT_EQ(NameOf(Sent(0)).name.size(), 253U);
}

}  // namespace
}  // namespace inferd::kubernetes
