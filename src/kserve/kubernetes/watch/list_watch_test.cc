#include "kserve/kubernetes/watch/list_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "kserve/kubernetes/scripted_api_fixture.h"
#include "kserve/kubernetes/watch/informer.h"
#include "kserve/kubernetes/watch/object_cache.h"

namespace inferd::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Runs a ListWatch against a script until its end. Records the reports, as "ADDED a", and the pauses.
class Follower final : public ObjectSink {
 public:
  explicit Follower(std::vector<std::string> answers)
      : api_(std::move(answers)), client_(api_, {.retry = {.attempts = 1}}) {
    api_.OnEnd([this] { stop_.request_stop(); });
    ListWatchOptions options;
    options.pause = [this](std::chrono::milliseconds, const std::stop_token& stop) {
      ++pauses;
      return !stop.stop_requested();
    };
    ListWatch(*client_, kPods, {}, *this, options).Run(stop_.get_token());
  }

  void OnList(ObjectList list) override {
    std::string text = "LIST";
    for (const auto& item : list.items) text += " " + NameOf(item).name;
    told.push_back(text);
  }
  void OnEvent(WatchEvent event) override {
    const char* const names[] = {"ADDED ", "MODIFIED ", "DELETED ", "BOOKMARK "};
    told.push_back(names[static_cast<int>(event.type)] + NameOf(event.object).name);
  }
  void OnError(const ApiError& error) override { errors.push_back(error.ToString()); }

  // Returns the start of each watch and list: "3", "list".
  std::vector<std::string> asked() {
    std::vector<std::string> asked;
    for (const std::string& line : api_.lines()) {
      const size_t at = line.find("resourceVersion=");
      asked.push_back(at == std::string::npos ? "list" : line.substr(at + 16, line.find('&', at) - at - 16));
    }
    return asked;
  }
  std::vector<std::string> lines() { return api_.lines(); }

  std::vector<std::string> told;
  std::vector<std::string> errors;
  int pauses = 0;

 private:
  std::stop_source stop_;
  ScriptedApi api_;
  ScriptedClient client_;
};

const std::string kList = Answer(200, ListJson(5, {PodJson("a", 1)}));

TEST(ListWatchTest, AWatchThatEndsGoesOnBehindItsLastEvent) {
  Follower follower({kList, WatchAnswer(EventJson("ADDED", PodJson("b", 6)) + EventJson("BOOKMARK", PodJson("", 9))),
                     WatchAnswer(EventJson("DELETED", PodJson("a", 12)))});
  EXPECT_THAT(follower.told, ElementsAre("LIST a", "ADDED b", "DELETED a"));
  EXPECT_THAT(follower.asked(), ElementsAre("list", "5", "9"));
  EXPECT_THAT(follower.lines()[1], HasSubstr("watch=true&allowWatchBookmarks=true&"));
  EXPECT_THAT(follower.lines()[1], HasSubstr("&timeoutSeconds="));
}

TEST(ListWatchTest, AWatchThatIsCutAnywhereLosesAndRepeatsNothing) {
  const std::string first = EventJson("ADDED", PodJson("b", 6));
  const std::string events = first + EventJson("MODIFIED", PodJson("b", 7));
  for (size_t cut = 0; cut <= events.size(); ++cut) {
    const size_t whole = cut == events.size() ? 2 : cut >= first.size() ? 1 : 0;
    const std::string rest = whole == 2 ? "" : whole == 1 ? events.substr(first.size()) : events;
    Follower follower({kList, CutAnswer(events.substr(0, cut)), WatchAnswer(rest)});
    EXPECT_THAT(follower.told, ElementsAre("LIST a", "ADDED b", "MODIFIED b")) << cut;
    EXPECT_THAT(follower.asked(), ElementsAre("list", "5", std::to_string(whole == 0 ? 5 : 5 + whole))) << cut;
  }
}

TEST(ListWatchTest, WhatIsNotKeptAnyMoreIsListedAnew) {
  const std::string gone = StatusJson(410, "Expired", "too old resource version");
  for (const std::string& answer : {Answer(410, gone), WatchAnswer(EventJson("ERROR", gone))}) {
    Follower follower({kList, answer, Answer(200, ListJson(20, {PodJson("c", 18)})),
                       WatchAnswer(EventJson("DELETED", PodJson("c", 21)))});
    EXPECT_THAT(follower.told, ElementsAre("LIST a", "LIST c", "DELETED c"));
    EXPECT_THAT(follower.asked(), ElementsAre("list", "5", "list", "20"));
    EXPECT_TRUE(follower.errors.empty());
    EXPECT_GE(follower.pauses, 1);
  }
}

TEST(ListWatchTest, AServerThatIsBrokenIsAskedAgainAfterAPause) {
  Follower follower(
      {Answer(503, "down"), "", kList, Answer(503, "down"), WatchAnswer(EventJson("ADDED", PodJson("b", 6)))});
  EXPECT_THAT(follower.told, ElementsAre("LIST a", "ADDED b"));
  EXPECT_THAT(follower.asked(), ElementsAre("list", "list", "list", "5", "5"));
  EXPECT_GE(follower.pauses, 3);
  EXPECT_EQ(follower.errors.front(), "HTTP 503: down");
}

TEST(ListWatchTest, AStreamOfNonsenseIsListedAnew) {
  Follower follower({kList, WatchAnswer("nonsense\n"), Answer(200, ListJson(8, {}))});
  EXPECT_THAT(follower.told, ElementsAre("LIST a", "LIST"));
  EXPECT_THAT(follower.errors.front(), HasSubstr("the watch sends what is no event"));
}

TEST(ListWatchTest, AWatchThatEndsWithinAnEventIsNoGoodOne) {
  for (const char* text : {"{}", R"({"type":"ADDED")"}) {
    Follower follower({kList, WatchAnswer(text), WatchAnswer(EventJson("ADDED", PodJson("b", 6)))});
    EXPECT_THAT(follower.told, ElementsAre("LIST a", "ADDED b")) << text;
    EXPECT_EQ(follower.errors.front(), "the watch ended within an event") << text;
  }
}

TEST(ListWatchTest, WatchesThatEndAtOnceAreNotAskedForWithoutAPause) {
  Follower follower({kList, WatchAnswer(""), WatchAnswer(""), WatchAnswer("")});
  EXPECT_THAT(follower.asked(), ElementsAre("list", "5", "5", "5"));
  EXPECT_GE(follower.pauses, 3);
}

// Records a cache's changes as "a- +b ~c".
struct Told {
  std::string text;
  ObjectCache cache{[this](const ObjectCache::Change& change) {
    const char* const sign = change.before == nullptr ? "+" : change.now == nullptr ? "-" : "~";
    text += sign + change.name.name;
  }};
  std::string Take() { return std::exchange(text, {}); }
  void Event(WatchEvent::Type type, const std::string& name, int version) {
    cache.OnEvent({.type = type, .object = FromJson(PodJson(name, version))});
  }
  void List(const std::vector<std::pair<std::string, int>>& pods) {
    ObjectList list;
    for (const auto& [name, version] : pods) list.items.push_back(FromJson(PodJson(name, version)));
    cache.OnList(std::move(list));
  }
};

TEST(ObjectCacheTest, AListTellsWhatHasChangedSince) {
  Told told;
  EXPECT_FALSE(told.cache.synced());
  told.List({{"a", 1}, {"b", 2}, {"c", 3}});
  EXPECT_TRUE(told.cache.synced());
  EXPECT_EQ(told.Take(), "+a+b+c");
  told.List({{"b", 2}, {"c", 4}, {"d", 5}});
  EXPECT_EQ(told.Take(), "-a~c+d");
  EXPECT_EQ(told.cache.Find({"a", "a"}), nullptr);
  EXPECT_EQ(ResourceVersionOf(*told.cache.Find({"a", "c"})), "4");
  EXPECT_EQ(told.cache.All().size(), 3U);
  told.cache.Resync();
  EXPECT_EQ(told.Take(), "~b~c~d");
}

TEST(ObjectCacheTest, ItIsSyncedWhenAllOfTheFirstListIsTold) {
  int told = 0;
  std::optional<ObjectCache> cache;
  cache.emplace([&](const ObjectCache::Change&) {
    ++told;
    EXPECT_FALSE(cache->synced());
  });
  cache->OnList({.resource_version = "1", .items = {FromJson(PodJson("a", 1)), FromJson(PodJson("b", 1))}});
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(cache->synced());
}

TEST(ObjectCacheTest, EventsChangeIt) {
  using Type = WatchEvent::Type;
  Told told;
  told.List({{"a", 1}});
  told.Take();
  told.Event(Type::kAdded, "b", 2);
  told.Event(Type::kModified, "a", 3);
  told.Event(Type::kDeleted, "b", 4);
  EXPECT_EQ(told.Take(), "+b~a-b");
  // Events that a continued watch repeats are no changes.
  told.Event(Type::kModified, "a", 3);
  told.Event(Type::kDeleted, "b", 4);
  EXPECT_EQ(told.Take(), "");
}

TEST(ObjectCacheTest, FailuresAreCountedUntilTheServerAnswers) {
  Told told;
  const auto fail = [&](int times) {
    for (int i = 0; i < times; ++i) told.cache.OnError(ErrorWithoutAnswer(base::Unavailable("down")));
    return told.cache.failures();
  };
  EXPECT_EQ(fail(2), 2);
  told.List({{"a", 1}});
  EXPECT_EQ(told.cache.failures(), 0);
  EXPECT_EQ(fail(3), 3);
  told.Event(WatchEvent::Type::kModified, "a", 2);
  EXPECT_EQ(told.cache.failures(), 0);
  EXPECT_EQ(fail(1), 1);
  told.cache.OnProgress();
  EXPECT_EQ(told.cache.failures(), 0);
}

TEST(InformerTest, ItFollowsForAsLongAsItLives) {
  // The watch lasts longer than the test.
  ScriptedApi api({kList, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + EventJson("ADDED", PodJson("b", 6))});
  base::SystemClock clock;
  Client client(api.access(), {}, clock);
  std::promise<void> added;
  std::string text;
  {
    const Informer informer(client, kPods, {.namespace_name = "a"}, [&](const ObjectCache::Change& change) {
      text += change.name.name;
      if (change.name.name == "b") added.set_value();
    });
    added.get_future().wait();
    EXPECT_TRUE(informer.objects().synced());
    EXPECT_EQ(informer.objects().All().size(), 2U);
  }
  EXPECT_EQ(text, "ab");
}

}  // namespace
}  // namespace inferd::kubernetes
