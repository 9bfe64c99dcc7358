#include "kserve/gateway/graph/graph_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "kserve/gateway/gateway_fixture.h"
#include "kserve/model/objects_fixture.h"
#include "net/client/scripted_server.h"

namespace inferd::graph {
namespace {

using net::ScriptedServer;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Answer(std::string_view body, std::string_view status = "200 OK") {
  return "HTTP/1.1 " + std::string(status) +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

std::string Post(std::string_view more = "") {
  return "POST / HTTP/1.1\r\nHost: g\r\n" + std::string(more) + "Content-Length: 2\r\n\r\n{}";
}

// A graph on the host "g", whose steps call the services "a" and "b".
class GraphServiceTest : public gateway::ServedGatewayTest {
 protected:
  std::shared_ptr<gateway::Backend> Serve(const std::string& host, uint16_t port) {
    auto backend = std::make_shared<gateway::Backend>(host, gateway::BackendOptions{});
    backend->SetReplicas({*net::upstream::Address::Parse("127.0.0.1:" + std::to_string(port))});
    gateway::Route route;
    route.destinations.push_back({.backend = backend});
    table_->Add(host, std::move(route));
    return backend;
  }

  void Route(std::string_view root, GraphOptions options = {}) {
    const auto graph = model::ParseAs<model::InferenceGraph>(
        "apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\nmetadata: {name: g}\nspec:\n  nodes:\n    "
        "root: " +
        std::string(root) + "\n");
    auto plan = MakePlan(graph, [](const std::string& name) { return "http://" + name + "/" + name; });
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    gateway::Route route;
    route.service = std::make_shared<GraphService>(*std::move(plan), std::move(options));
    table_->Add("g", std::move(route));
    gateway_.SetRoutes(table_);
  }

  std::string Ask(const std::string& request, std::string_view end = "}") {
    return ServedGatewayTest::Ask(request, end);
  }

  std::shared_ptr<gateway::RouteTable> table_ = std::make_shared<gateway::RouteTable>();
};

TEST_F(GraphServiceTest, StepsAreAskedThroughTheGateway) {
  std::vector<std::string> seen;
  ScriptedServer replica([&](const std::string& request) {
    seen.push_back(request);
    return Answer(R"({"n":)" + std::to_string(seen.size()) + "}");
  });
  Serve("a", replica.port());
  Serve("b", replica.port());
  GraphOptions options;
  options.propagated.push_back(*base::NamePattern::Create("^x-mine$"));
  Route("{routerType: Sequence, steps: [{serviceName: a}, {serviceName: b, data: $response}]}", std::move(options));
  EXPECT_THAT(Ask(Post("X-Mine: 1\r\nX-Other: 2\r\nTraceparent: t\r\nContent-Type: text/x\r\n")),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Content-Type: application/json\r\n"),
                    EndsWith("\r\n\r\n{\"n\":2}")));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_THAT(seen[0], AllOf(StartsWith("POST /a HTTP/1.1\r\nHost: a\r\nX-Mine: 1\r\nTraceparent: t\r\n"),
                             HasSubstr("Content-Type: application/json\r\n"), HasSubstr("Inferd-Graphs: 1\r\n"),
                             EndsWith("\r\n\r\n{}"), Not(HasSubstr("X-Other"))));
  EXPECT_THAT(seen[1], AllOf(StartsWith("POST /b HTTP/1.1\r\nHost: b\r\n"), EndsWith("\r\n\r\n{\"n\":1}")));
}

TEST_F(GraphServiceTest, TheAnswerOfAStepIsTheGraphs) {
  ScriptedServer replica([](const std::string&) { return Answer(R"({"error":"x"})", "418 Teapot"); });
  Serve("a", replica.port());
  Route("{routerType: Sequence, steps: [{serviceName: a}]}");
  EXPECT_THAT(Ask(Post()), AllOf(StartsWith("HTTP/1.1 418 "), EndsWith("{\"error\":\"x\"}")));
}

TEST_F(GraphServiceTest, AnAnswerInPiecesIsPutTogether) {
  ScriptedServer replica([](const std::string&) {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n";
  });
  Serve("a", replica.port());
  Route("{routerType: Ensemble, steps: [{serviceName: a}, {serviceName: a}]}");
  EXPECT_THAT(Ask(Post(), "}}"), EndsWith(R"({"0":{"a":1},"1":{"a":1}})"));
}

TEST_F(GraphServiceTest, AnAnswerThatBreaksOffIsNone) {
  ScriptedServer replica([](const std::string&) {
    return std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\nxx\r\n");
  });
  Serve("a", replica.port());
  Route("{routerType: Sequence, steps: [{serviceName: a}]}");
  EXPECT_THAT(Ask(Post()), AllOf(StartsWith("HTTP/1.1 502 "), HasSubstr("the answer broke off")));
}

TEST_F(GraphServiceTest, AnswersTogetherMayBeTooLarge) {
  const std::string body = "\"" + std::string(1'000, 'x') + "\"";
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3ea\r\n" + body + "\r\n0\r\n\r\n";
  for (const std::string& answer : {Answer(body), chunked}) {
    ScriptedServer replica([&](const std::string&) { return answer; });
    table_ = std::make_shared<gateway::RouteTable>();
    const auto backend = Serve("a", replica.port());
    GraphOptions options;
    options.bytes_max = 2'500;
    Route(
        "{routerType: Sequence, steps: [{serviceName: a, dependency: Hard}, {serviceName: a, dependency: Hard}, "
        "{serviceName: a}]}",
        std::move(options));
    EXPECT_THAT(Ask(Post()), AllOf(StartsWith("HTTP/1.1 502 "), HasSubstr("too large")));
    while (backend->TakeLoad(0).in_flight > 0) std::this_thread::yield();
  }
}

TEST_F(GraphServiceTest, AGraphHasItsTime) {
  std::promise<void> over;
  ScriptedServer replica([&](const std::string&) {
    over.get_future().wait();
    return Answer("late");
  });
  const auto backend = Serve("a", replica.port());
  GraphOptions options;
  options.timeout = std::chrono::milliseconds(30);
  Route("{routerType: Ensemble, steps: [{serviceName: a}, {serviceName: b}]}", std::move(options));
  EXPECT_THAT(Ask(Post()), AllOf(StartsWith("HTTP/1.1 504 "), HasSubstr("the graph did not answer in time")));
  while (backend->TakeLoad(0).in_flight > 0) std::this_thread::yield();
  over.set_value();
}

TEST_F(GraphServiceTest, EachStepHasItsTime) {
  std::promise<void> over;
  ScriptedServer late([&](const std::string&) {
    over.get_future().wait();
    return Answer("late");
  });
  ScriptedServer quick([](const std::string&) { return Answer("{}"); });
  const auto backend = Serve("a", late.port());
  Serve("b", quick.port());
  GraphOptions options;
  options.step_timeout = std::chrono::milliseconds(30);
  // A timeout is a failure of the step. Its response is used, because the step is not Hard.
  Route("{routerType: Ensemble, steps: [{serviceName: a, name: late}, {serviceName: b, name: quick}]}",
        std::move(options));
  EXPECT_THAT(Ask(Post(), "}}"), AllOf(StartsWith("HTTP/1.1 200 "),
                                       EndsWith(R"({"late":{"error":"the step did not answer in time"},"quick":{}})")));
  while (backend->TakeLoad(0).in_flight > 0) std::this_thread::yield();
  over.set_value();
}

TEST(GraphOptionsTest, TimeoutsAreTheGraphs) {
  const auto options_of = [](const std::string& spec) {
    return OptionsOf(
        model::ParseAs<model::InferenceGraph>(
            "apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\nmetadata: {name: g}\nspec: {nodes: "
            "{root: {routerType: Sequence, steps: [{serviceName: a}]}}" +
            spec + "}\n"),
        {});
  };
  EXPECT_EQ(options_of("")->timeout, std::chrono::seconds(300));
  EXPECT_EQ(options_of("")->step_timeout, std::nullopt);
  EXPECT_EQ(options_of(", timeout: 400, routerTimeouts: {serverWrite: 500}")->timeout, std::chrono::seconds(400));
  const auto shorter = options_of(", timeout: 400, routerTimeouts: {serverWrite: 7, serviceClient: 3}");
  EXPECT_EQ(shorter->timeout, std::chrono::seconds(7));
  EXPECT_EQ(shorter->step_timeout, std::chrono::seconds(3));
}

TEST_F(GraphServiceTest, AClientThatHasGoneEndsItsSteps) {
  std::promise<void> over;
  std::promise<void> came;
  ScriptedServer replica([&](const std::string&) {
    came.set_value();
    over.get_future().wait();
    return Answer("late");
  });
  const auto backend = Serve("a", replica.port());
  Route("{routerType: Sequence, steps: [{serviceName: a}, {serviceName: a}]}");
  {
    support::RawClient client(server_.port("http"));
    client.Send(Post());
    came.get_future().wait();
    client.Reset();
  }
  while (backend->TakeLoad(0).in_flight > 0) std::this_thread::yield();
  over.set_value();
}

TEST_F(GraphServiceTest, GraphsThatAskEachOtherComeToAnEnd) {
  Route("{routerType: Ensemble, steps: [{serviceName: g}]}");
  EXPECT_THAT(Ask(Post()), HasSubstr("the graph is asked by its own steps, again and again"));
  EXPECT_THAT(Ask(Post("Inferd-Graphs: 99\r\n")), StartsWith("HTTP/1.1 508 "));
  EXPECT_THAT(Ask(Post("Inferd-Graphs: -1\r\n")), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace inferd::graph
