#include "server/http/path_switch.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

namespace inferd::server {
namespace {

// Records its calls.
class NotingHandler final : public net::HttpHandler {
 public:
  NotingHandler(std::string name, std::string& log) : name_(std::move(name)), log_(log) {}
  net::BodyPlan OnHead(const net::RequestHead& head) override {
    log_ += name_ + ":head:" + std::string(head.target) + " ";
    return {};
  }
  void OnRequest(net::HttpRequest request, net::Reply) override {
    log_ += name_ + ":request:" + std::string(request.head.target) + " ";
  }
  void OnDrain() override { log_ += name_ + ":drain "; }

 private:
  const std::string name_;
  std::string& log_;
};

TEST(PathSwitchTest, TheFirstThatClaimsARequestHasIt) {
  std::string log;
  const auto beginning = [](std::string_view path) {
    return [path](const net::RequestHead& head) { return head.target.starts_with(path); };
  };
  std::vector<ClaimedPaths> claimed;
  claimed.push_back({.claims = beginning("/ab"), .handler = std::make_unique<NotingHandler>("ab", log)});
  claimed.push_back({.claims = beginning("/a"), .handler = std::make_unique<NotingHandler>("a", log)});
  const auto handler =
      MakePathSwitch(std::move(claimed), {.claims = nullptr, .handler = std::make_unique<NotingHandler>("rest", log)});
  for (const char* target : {"/a/x", "/abc", "/b"}) {
    net::HttpRequest request;
    request.head.target = target;
    request.choice = handler->OnHead(request.head).choice;
    handler->OnRequest(std::move(request), net::Reply());
  }
  handler->OnDrain();
  EXPECT_EQ(log,
            "a:head:/a/x a:request:/a/x ab:head:/abc ab:request:/abc rest:head:/b rest:request:/b ab:drain a:drain "
            "rest:drain ");
}

TEST(PathSwitchTest, WhoHasTheHeadHasTheRequest) {
  std::string log;
  bool claims = true;
  std::vector<ClaimedPaths> claimed;
  claimed.push_back({.claims = [&claims](const net::RequestHead&) { return claims; },
                     .handler = std::make_unique<NotingHandler>("one", log)});
  const auto handler =
      MakePathSwitch(std::move(claimed), {.claims = nullptr, .handler = std::make_unique<NotingHandler>("rest", log)});
  for (const bool claimed_first : {true, false}) {
    claims = claimed_first;
    net::HttpRequest request;
    request.head.target = "/m";
    request.choice = handler->OnHead(request.head).choice;
    claims = !claimed_first;
    handler->OnRequest(std::move(request), net::Reply());
  }
  EXPECT_EQ(log, "one:head:/m one:request:/m rest:head:/m rest:request:/m ");
}

}  // namespace
}  // namespace inferd::server
