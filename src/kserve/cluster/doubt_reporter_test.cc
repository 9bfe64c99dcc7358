#include "kserve/cluster/doubt_reporter.h"

#include <gmock/gmock.h>

#include "data/manifest/value_path.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(DoubtReporterTest, ADoubtIsToldOnceAndByTheOneThatLeads) {
  kubernetes::ScriptedApi api(std::vector<std::string>(3, Answer(201, "{}")));
  kubernetes::ScriptedClient client(api, {.retry = {.attempts = 1}});
  base::FakeClock clock;
  metrics::Registry metrics;
  StatusWriter statuses(*client, clock, metrics);
  bool leads = false;
  DoubtReporter reporter(statuses, metrics, {"kserve", "inferd-controller"}, [&] { return leads; });
  const std::vector<Doubt> doubts = {{.about = "Service kserve/inferd-gateway", .text = "Forbidden: no"}};
  const std::string series = R"(inferd_controller_doubt{about="Service kserve/inferd-gateway"} )";
  reporter.Tell(doubts, {});
  EXPECT_THAT(metrics.PrometheusText(), HasSubstr(series + "1"));
  EXPECT_THAT(api.lines(), IsEmpty()) << "another controller says so";
  leads = true;
  for (int i = 0; i < 3; ++i) reporter.Tell(doubts, {});
  EXPECT_THAT(api.lines(), ElementsAre("POST /api/v1/namespaces/kserve/events"));
  const std::string request = api.requests().front();
  const manifest::Value event = kubernetes::FromJson(request.substr(request.find("\r\n\r\n") + 4));
  EXPECT_EQ(manifest::TextAt(event, {"message"}), "Service kserve/inferd-gateway: Forbidden: no");
  EXPECT_EQ(manifest::TextAt(event, {"involvedObject", "kind"}), "Lease");
  reporter.Tell({}, {});
  EXPECT_THAT(metrics.PrometheusText(), HasSubstr(series + "0"));
  reporter.Tell(doubts, {});
  EXPECT_EQ(api.lines().size(), 2U) << "it began anew";
}

}  // namespace
}  // namespace inferd::cluster
