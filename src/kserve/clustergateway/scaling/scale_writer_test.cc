#include "kserve/clustergateway/scaling/scale_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace inferd::clustergateway {
namespace {

using kubernetes::ApiResult;
using kubernetes::ObjectName;
using ::testing::ElementsAre;

TEST(ScaleWriterTest, OfOrdersThatWaitTheLastCounts) {
  const auto logger = base::Logger::Silent();
  metrics::Registry registry;
  std::promise<void> begun;
  std::promise<void> go_on;
  std::promise<void> over;
  std::vector<std::string> written;
  ScaleWriter writer(
      [&](const ObjectName& name, const ScaleOrder& order, const std::stop_token&) -> ApiResult<void> {
        written.push_back(name.name + " " + std::to_string(order.replicas));
        if (written.size() == 1) {
          begun.set_value();
          go_on.get_future().wait();
        }
        if (written.size() == 3) over.set_value();
        return {};
      },
      *logger, registry);
  writer.Order({"a", "first"}, {.replicas = 1, .resource_version = ""});
  begun.get_future().wait();
  writer.Order({"a", "x"}, {.replicas = 5, .resource_version = ""});
  writer.Order({"a", "y"}, {.replicas = 2, .resource_version = ""});
  writer.Order({"a", "x"}, {.replicas = 0, .resource_version = "7"});
  go_on.set_value();
  over.get_future().wait();
  EXPECT_THAT(written, ElementsAre("first 1", "x 0", "y 2"));
}

}  // namespace
}  // namespace inferd::clustergateway
