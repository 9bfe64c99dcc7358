#include "kserve/cluster/admission/webhook_server.h"

#include <gtest/gtest.h>

#include <atomic>

#include "kserve/cluster/becomes_fixture.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;

// The webhook for pods is only reported as missing if that is certain.
TEST(WebhookServerTest, ConfigurationsThatCannotBeListedAreNotMissing) {
  std::atomic<bool> refuses = true;
  net::ScriptedServer server([&](const std::string& request) {
    if (refuses) return Answer(403, kubernetes::StatusJson(403, "Forbidden", "no"));
    return request.find("watch=") != std::string::npos ? std::string() : Answer(200, kubernetes::ListJson(1, {}));
  });
  const base::SystemClock clock;
  kubernetes::Client client({.server = server.url()}, {.retry = {.attempts = 1}}, clock);
  metrics::Registry registry;
  const auto logger = base::Logger::Silent();
  WebhookServer webhooks(
      {.on_pods_change = [] {},
       .address = "127.0.0.1",
       .port = 0,
       .places = {.secret = {"kserve", "webhooks"}, .webhook_name = "inferd"}},
      client, ReviewContext{}, [] { return false; }, clock, registry, *logger);
  const auto doubts = [&] {
    std::vector<Doubt> found;
    webhooks.AddDoubts(found);
    return found.size();
  };
  EXPECT_TRUE(Becomes([&] { return doubts() == 3; }));
  EXPECT_TRUE(webhooks.mutates_pods()) << "it may be so";
  EXPECT_FALSE(webhooks.ready());
  refuses = false;
  EXPECT_TRUE(Becomes([&] { return !webhooks.mutates_pods(); })) << "there are none";
  EXPECT_TRUE(webhooks.ready());
}

}  // namespace
}  // namespace inferd::cluster
