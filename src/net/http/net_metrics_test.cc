#include "net/http/net_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::net {
namespace {

TEST(NetMetricsTest, PrintsTheSumOverAllLoops) {
  metrics::Registry registry;
  {
    const std::shared_ptr<NetMetrics[]> loops(new NetMetrics[2]);
    NetMetrics::Publish(loops, 2, registry);
    loops[0].AddConnection();
    loops[1].AddConnection();
    loops[1].AddConnection();
    loops[1].RemoveConnection();
    loops[0].BeginRequest();
    loops[0].CountResponse(200);
    loops[1].CountResponse(200);
    loops[1].CountResponse(404);
    loops[1].AddBytesRead(1000);
    loops[0].AddBytesWritten(5);
  }
  const std::string text = registry.PrometheusText();
  for (const char* line :
       {"inferd_http_connections 2\n", "inferd_http_connections_total 3\n", "inferd_http_requests_in_flight 1\n",
        "inferd_http_received_bytes_total 1000\n", "inferd_http_sent_bytes_total 5\n",
        "inferd_http_requests_total{code=\"200\"} 2\n", "inferd_http_requests_total{code=\"404\"} 1\n"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(line));
  }
}

TEST(NetMetricsTest, AnUnknownStatusCountsAsItsClass) {
  NetMetrics metrics;
  metrics.CountResponse(418);
  metrics.CountResponse(299);
  EXPECT_EQ(metrics.responses(400), 1);
  EXPECT_EQ(metrics.responses(200), 1);
  EXPECT_EQ(metrics.responses(404), 0);
}

}  // namespace
}  // namespace inferd::net
