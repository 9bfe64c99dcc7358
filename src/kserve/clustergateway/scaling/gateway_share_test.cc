#include "kserve/clustergateway/scaling/gateway_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::clustergateway {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;

TEST(GatewayShareTest, AGatewayIsFoundByItsName) {
  const std::vector<std::string> names = {"a", "b", "d"};
  EXPECT_EQ(ShareOf(names, "b"), (GatewayShare{.gateways = 3, .index = 1}));
  EXPECT_EQ(ShareOf(names, "c"), (GatewayShare{.gateways = 4, .index = 3})) << "it is not ready yet, or not any more";
  EXPECT_EQ(ShareOf({}, "c"), (GatewayShare{.gateways = 1, .index = 0}));
}

TEST(GatewayShareTest, OneGatewayHasAll) {
  EXPECT_THAT(PlacesOf({}, 3, 2), ElementsAre(3, 3));
  EXPECT_THAT(PlacesOf({}, 3, 0), IsEmpty());
}

TEST(GatewayShareTest, OddPlacesAreDealtInTurn) {
  EXPECT_THAT(PlacesOf({.gateways = 3, .index = 0}, 5, 3), ElementsAre(2, 2, 1));
  EXPECT_THAT(PlacesOf({.gateways = 3, .index = 1}, 5, 3), ElementsAre(2, 1, 2));
  EXPECT_THAT(PlacesOf({.gateways = 3, .index = 2}, 5, 3), ElementsAre(1, 2, 2));
}

TEST(GatewayShareTest, FewPlacesLeaveNoGatewayWithoutOne) {
  EXPECT_THAT(PlacesOf({.gateways = 3, .index = 0}, 1, 2), ElementsAre(1, 0));
  EXPECT_THAT(PlacesOf({.gateways = 3, .index = 1}, 1, 2), ElementsAre(0, 1));
  EXPECT_THAT(PlacesOf({.gateways = 3, .index = 2}, 1, 2), ElementsAre(1, 0));
}

// For any numbers, the sum over all gateways is the limit, and their shares differ by at most one slot.
TEST(GatewayShareTest, TheLimitHoldsOverAll) {
  for (size_t gateways = 1; gateways <= 7; ++gateways) {
    for (size_t pods = 1; pods <= 6; ++pods) {
      for (size_t concurrency = 1; concurrency <= 9; ++concurrency) {
        std::vector<size_t> of_pods(pods, 0);
        std::vector<size_t> of_gateways;
        for (size_t index = 0; index < gateways; ++index) {
          size_t all = 0;
          const std::vector<size_t> places = PlacesOf({gateways, index}, concurrency, pods);
          for (size_t pod = 0; pod < pods; ++pod) {
            of_pods[pod] += places[pod];
            all += places[pod];
          }
          of_gateways.push_back(all);
        }
        EXPECT_THAT(of_gateways, Each(Ge(1U)));
        if (pods * concurrency < gateways) continue;
        EXPECT_THAT(of_pods, Each(concurrency)) << gateways << " gateways, " << pods << " pods";
        const auto [least, most] = std::ranges::minmax(of_gateways);
        EXPECT_LE(most - least, 1U) << gateways << " gateways, " << pods << " pods, " << concurrency;
      }
    }
  }
}

}  // namespace
}  // namespace inferd::clustergateway
