#include "server/process/process_metrics.h"

#include <gtest/gtest.h>

#include "base/version/version.h"

namespace inferd::server {
namespace {

double ValueOf(const std::string& page, const std::string& name) {
  const size_t at = page.find('\n' + name + ' ');
  return at == std::string::npos ? -1 : std::stod(page.substr(at + name.size() + 2));
}

TEST(ProcessMetricsTest, SaysWhatTheProcessUses) {
  metrics::Registry registry;
  RegisterProcessMetrics(registry);
  const std::string page = registry.PrometheusText();
  EXPECT_GT(ValueOf(page, "process_resident_memory_bytes"), 1e6);
  EXPECT_GE(ValueOf(page, "process_cpu_seconds_total"), 0);
  EXPECT_GE(ValueOf(page, "process_threads"), 1);
  EXPECT_GE(ValueOf(page, "process_open_fds"), 3);
  EXPECT_GT(ValueOf(page, "process_start_time_seconds"), 1.5e9);
  EXPECT_GE(ValueOf(page, "inferd_dropped_completions_total"), 0);
  EXPECT_EQ(ValueOf(page, "inferd_build_info{version=\"" + std::string(base::BuildVersion()) + "\"}"), 1);
}

}  // namespace
}  // namespace inferd::server
