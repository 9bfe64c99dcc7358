#include "kserve/kubernetes/client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "data/manifest/print.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::kubernetes {
namespace {

using base::StatusCode;
using manifest::Value;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string BodyOf(const std::string& request) { return request.substr(request.find("\r\n\r\n") + 4); }

TEST(ClientTest, AnObjectComesAndGoesWithAllThatIsInIt) {
  const std::string odd = PodJson("p", 7, R"(,"spec":{"é":[null,1e400,0.10,"\u0000\u2028"],"unknown":{"deep":{}}})");
  ScriptedApi api({Answer(200, odd), Answer(200, odd)});
  ScriptedClient client(api);
  const auto got = client->Get(kPods, {"a", "p"});
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  ASSERT_TRUE(client->Update(kPods, *got).has_value());
  EXPECT_THAT(api.lines(), ElementsAre("GET /api/v1/namespaces/a/pods/p", "PUT /api/v1/namespaces/a/pods/p"));
  EXPECT_EQ(FromJson(BodyOf(api.requests()[1])), FromJson(odd));
  EXPECT_THAT(api.requests()[1], HasSubstr("0.10"));
}

TEST(ClientTest, EachCallIsARequestOfTheApi) {
  const std::string pod = PodJson("p", 7);
  ScriptedApi api(std::vector<std::string>(8, Answer(200, pod)));
  ScriptedClient client(api);
  const Value object = FromJson(pod);
  const ObjectName name = {"a", "p"};
  EXPECT_TRUE(client->Create(kPods, object, {.field_manager = "m/1", .dry_run = true}).has_value());
  EXPECT_TRUE(client->Update(kPods, object, {.subresource = "status"}).has_value());
  EXPECT_TRUE(client->Apply(kPods, object, {.field_manager = "m", .force = true}).has_value());
  EXPECT_TRUE(client->Patch(kPods, name, PatchType::kJson, Value::List()).has_value());
  EXPECT_TRUE(client->Patch(kPods, name, PatchType::kMerge, Value::Map(), {.subresource = "status"}).has_value());
  EXPECT_TRUE(client->Patch(kPods, name, PatchType::kStrategic, Value::Map()).has_value());
  EXPECT_TRUE(
      client
          ->Delete(kPods, name, {.uid = "u", .resource_version = "7", .propagation = "Foreground", .grace_period_s = 0})
          .has_value());
  EXPECT_TRUE(client->GetDocument("/version").has_value());
  const std::string path = "/api/v1/namespaces/a/pods/p";
  EXPECT_THAT(api.lines(),
              ElementsAre("POST /api/v1/namespaces/a/pods?fieldManager=m%2F1&dryRun=All", "PUT " + path + "/status",
                          "PATCH " + path + "?fieldManager=m&force=true", "PATCH " + path, "PATCH " + path + "/status",
                          "PATCH " + path, "DELETE " + path, "GET /version"));
  const char* types[] = {"application/json",
                         "application/json",
                         "application/apply-patch+yaml",
                         "application/json-patch+json",
                         "application/merge-patch+json",
                         "application/strategic-merge-patch+json",
                         "application/json"};
  const auto requests = api.requests();
  for (size_t i = 0; i < std::size(types); ++i) {
    EXPECT_THAT(requests[i], HasSubstr(std::string("\r\nContent-Type: ") + types[i] + "\r\n")) << i;
  }
  EXPECT_EQ(
      BodyOf(requests[6]),
      R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u","resourceVersion":"7"},"propagationPolicy":"Foreground","gracePeriodSeconds":0})");
}

TEST(ClientTest, AnObjectWithoutANameIsNotAskedFor) {
  ScriptedApi api({});
  ScriptedClient client(api);
  for (const ObjectName& name : {ObjectName{"a", ""}, ObjectName{"", "p"}}) {
    EXPECT_EQ(client->Get(kPods, name).error().status, StatusCode::kInvalidArgument);
    EXPECT_EQ(client->Delete(kPods, name).error().status, StatusCode::kInvalidArgument);
    EXPECT_EQ(client->Update(kPods, MakeObject(kPods, name)).error().status, StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(client->Apply(kPods, MakeObject(kPods, {"a", "p"}), {}).error().status, StatusCode::kInvalidArgument);
  EXPECT_THAT(api.requests(), SizeIs(0));
}

TEST(ClientTest, AListComesInChunks) {
  ScriptedApi api(
      {Answer(200, ListJson(5, {PodJson("p", 1)}, "n&1")), Answer(200, ListJson(5, {R"({"metadata":{"name":"q"}})"}))});
  ScriptedClient client(api);
  const auto list = client->List(kPods, {.namespace_name = "a", .label_selector = "x=y,z"}, {.chunk = 1});
  ASSERT_TRUE(list.has_value()) << list.error().ToString();
  EXPECT_EQ(list->resource_version, "5");
  ASSERT_THAT(list->items, SizeIs(2));
  EXPECT_EQ(TextAt(list->items[1], {"kind"}), "Pod");
  EXPECT_THAT(api.lines(), ElementsAre("GET /api/v1/namespaces/a/pods?labelSelector=x%3Dy%2Cz&limit=1",
                                       "GET /api/v1/namespaces/a/pods?labelSelector=x%3Dy%2Cz&limit=1&continue=n%261"));
}

TEST(ClientTest, AListWhoseStateIsGoneBeginsAnewAndComesWholeAtLast) {
  const std::string gone = Answer(410, StatusJson(410, "Expired", "too old"));
  const std::string first = Answer(200, ListJson(5, {PodJson("p", 1)}, "n"));
  ScriptedApi api({first, gone, first, gone, Answer(200, ListJson(9, {PodJson("p", 1), PodJson("q", 2)}))});
  ScriptedClient client(api);
  const auto list = client->List(kPods, {}, {.chunk = 1});
  ASSERT_TRUE(list.has_value());
  EXPECT_THAT(list->items, SizeIs(2));
  EXPECT_EQ(api.lines().back(), "GET /api/v1/pods");
}

TEST(ClientTest, AListThatDoesNotGoOnIsMalformed) {
  for (const std::string& second : {ListJson(5, {}, "m"), ListJson(5, {PodJson("q", 1)}, "n")}) {
    ScriptedApi api({Answer(200, ListJson(5, {PodJson("p", 1)}, "n")), Answer(200, second)});
    ScriptedClient client(api);
    EXPECT_EQ(client->List(kPods, {}).error().status, StatusCode::kDataLoss);
  }
}

TEST(ClientTest, MalformedAnswersAreErrors) {
  for (const char* body :
       {"", "[]", "3", "{", "{}", "{}{}", R"({"a":1,"a":2})", "\xff", R"({"metadata":{"name":"another"}})"}) {
    ScriptedApi api({Answer(200, body)});
    ScriptedClient client(api);
    EXPECT_EQ(client->Get(kPods, {"a", "p"}).error().status, StatusCode::kDataLoss) << body;
  }
  for (const char* body :
       {R"({"metadata":{}})", R"({"metadata":{"resourceVersion":"1"}})",
        R"({"metadata":{"resourceVersion":"1"},"items":3})", R"({"metadata":{"resourceVersion":"1"},"items":[3]})"}) {
    ScriptedApi api({Answer(200, body)});
    ScriptedClient client(api);
    EXPECT_EQ(client->List(kPods, {}).error().status, StatusCode::kDataLoss) << body;
  }
}

TEST(ClientTest, AnAnswerHasALimit) {
  ScriptedApi api({Answer(200, PodJson("p", 1, R"(,"x":")" + std::string(2000, 'x') + "\""))});
  ScriptedClient client(api, {.answer_bytes_max = 2000});
  EXPECT_EQ(client->Get(kPods, {"a", "p"}).error().status, StatusCode::kResourceExhausted);
}

TEST(ClientTest, ABusyServerIsAskedAgainWhenItWantsThat) {
  ScriptedApi api(
      {Answer(429, "", "Retry-After: 3\r\n"), Answer(503, "", "Retry-After: 900\r\n"), Answer(201, PodJson("p", 1))});
  ScriptedClient client(api);
  ASSERT_TRUE(client->Create(kPods, FromJson(PodJson("p", 1))).has_value());
  EXPECT_THAT(client.pauses(), ElementsAre(seconds(3), seconds(60)));
}

TEST(ClientTest, WhatTheServerBrokeIsTriedAgainButNotACreation) {
  const std::string broken = Answer(500, StatusJson(500, "InternalError", "etcd"));
  ScriptedApi api({"", broken, Answer(200, PodJson("p", 1)), broken});
  ScriptedClient client(api);
  EXPECT_TRUE(client->Get(kPods, {"a", "p"}).has_value());
  EXPECT_THAT(client.pauses(), SizeIs(2));
  EXPECT_EQ(client->Create(kPods, FromJson(PodJson("p", 1))).error().reason, "InternalError");
  EXPECT_THAT(client.pauses(), SizeIs(2));
}

TEST(ClientTest, TriesHaveAnEnd) {
  ScriptedApi api(std::vector<std::string>(9, Answer(503, "overloaded")));
  ScriptedClient client(api, {.retry = {.attempts = 3}});
  const auto got = client->Get(kPods, {"a", "p"});
  EXPECT_EQ(got.error().ToString(), "HTTP 503: overloaded");
  EXPECT_THAT(api.requests(), SizeIs(3));
}

TEST(ClientTest, RequestsKeepToTheirRate) {
  ScriptedApi api(std::vector<std::string>(4, Answer(200, PodJson("p", 1))));
  ScriptedClient client(api, {.requests_per_second = 10, .burst = 2});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(client->Get(kPods, {"a", "p"}).has_value());
  EXPECT_THAT(client.pauses(), ElementsAre(milliseconds(100), milliseconds(100)));
}

TEST(ClientTest, ARedirectIsNotFollowed) {
  ScriptedApi api({Answer(302, "", "Location: http://127.0.0.1:1/elsewhere\r\n")});
  ScriptedClient client(api);
  EXPECT_EQ(client->Get(kPods, {"a", "p"}).error().status, StatusCode::kFailedPrecondition);
}

TEST(ClientTest, AConflictIsReadAndWrittenAgain) {
  const std::string conflict = Answer(409, StatusJson(409, "Conflict", "changed"));
  ScriptedApi api({Answer(200, PodJson("p", 1)), conflict, Answer(200, PodJson("p", 2)), Answer(200, PodJson("p", 3))});
  ScriptedClient client(api);
  int changes = 0;
  const auto modified = client->Modify(kPods, {"a", "p"}, [&](Value& pod) -> ApiResult<void> {
    pod.Set("x", Value::Int(++changes));
    return {};
  });
  ASSERT_TRUE(modified.has_value());
  EXPECT_EQ(ResourceVersionOf(*modified), "3");
  EXPECT_THAT(BodyOf(api.requests()[3]), HasSubstr(R"("resourceVersion":"2"})"));
  EXPECT_THAT(BodyOf(api.requests()[3]), HasSubstr(R"("x":2)"));
}

TEST(ClientTest, WhatDoesNotChangeIsNotWritten) {
  ScriptedApi api({Answer(200, PodJson("p", 1))});
  ScriptedClient client(api);
  EXPECT_TRUE(client->Modify(kPods, {"a", "p"}, [](Value&) -> ApiResult<void> { return {}; }).has_value());
  EXPECT_THAT(api.requests(), SizeIs(1));
}

TEST(ClientTest, ConflictsHaveAnEnd) {
  std::vector<std::string> answers;
  for (int i = 0; i < 19; ++i) {
    answers.push_back(Answer(200, PodJson("p", i)));
    answers.push_back(Answer(409, StatusJson(409, "Conflict", "changed")));
  }
  ScriptedApi api(answers);
  ScriptedClient client(api);
  int changes = 0;
  const auto modified = client->Modify(kPods, {"a", "p"}, [&](Value& pod) -> ApiResult<void> {
    pod.Set("x", Value::Int(++changes));
    return {};
  });
  EXPECT_TRUE(modified.error().is_conflict());
  EXPECT_EQ(changes, 10);
  EXPECT_THAT(client.pauses(), SizeIs(9));
}

TEST(ClientTest, AStopEndsACall) {
  std::stop_source stop;
  ScriptedApi api({Answer(503, "")});
  ScriptedClient client(api, {.requests_per_second = 1e-3, .burst = 1});
  stop.request_stop();
  EXPECT_EQ(client->Get(kPods, {"a", "p"}, stop.get_token()).error().status, StatusCode::kCancelled);
  EXPECT_THAT(api.requests(), SizeIs(0));
}

// An answer that never ends.
const std::string kHanging = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{";

TEST(ClientTest, AnAnswerThatDoesNotGoOnEndsInTime) {
  ScriptedApi api({kHanging, kHanging});
  ScriptedClient client(api, {.retry = {.attempts = 2}, .time_limit = milliseconds(20)});
  EXPECT_EQ(client->Get(kPods, {"a", "p"}).error().status, StatusCode::kUnavailable);
  EXPECT_THAT(client.pauses(), SizeIs(1)) << "it was tried twice";
}

TEST(ClientTest, AStopEndsAWatch) {
  std::stop_source stop;
  const std::string event = EventJson("ADDED", PodJson("p", 2));
  ScriptedApi api({"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + event});
  ScriptedClient client(api);
  int events = 0;
  const auto watched = client->Watch(
      kPods, {}, {.resource_version = "1"},
      [&](const WatchEvent&) -> ApiResult<void> {
        ++events;
        stop.request_stop();
        return {};
      },
      stop.get_token());
  EXPECT_EQ(watched.error().status, StatusCode::kCancelled);
  EXPECT_EQ(events, 1);
}

TEST(ClientTest, ThreadsShareAClient) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 20;
  ScriptedApi api(std::vector<std::string>(kThreads * kCalls, Answer(200, PodJson("p", 1))));
  ScriptedClient client(api, {.requests_per_second = 1e6, .burst = 1000});
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int call = 0; call < kCalls; ++call) good += client->Get(kPods, {"a", "p"}).has_value() ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(good, kThreads * kCalls);
}

TEST(ClientTest, CredentialsThatAreRefusedAreTriedOnceMore) {
  ScriptedApi api(std::vector<std::string>(3, Answer(401, StatusJson(401, "Unauthorized", "Unauthorized"))));
  ScriptedClient client(api);
  EXPECT_EQ(client->Get(kPods, {"a", "p"}).error().status, StatusCode::kUnauthenticated);
  EXPECT_THAT(api.requests(), SizeIs(2));
}

}  // namespace
}  // namespace inferd::kubernetes
