#include "serving/repository/records/version_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

using config::VersionPolicy;
using config::VersionPolicyKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(VersionPolicyTest, LatestIsTheDefault) { EXPECT_THAT(SelectVersions({}, {0, 1, 10}), ElementsAre(10)); }

TEST(VersionPolicyTest, LatestNTakesWhatThereIs) {
  VersionPolicy policy;
  policy.latest = 2;
  EXPECT_THAT(SelectVersions(policy, {1, 2, 10}), ElementsAre(2, 10));
  EXPECT_THAT(SelectVersions(policy, {7}), ElementsAre(7));
  EXPECT_THAT(SelectVersions(policy, {}), IsEmpty());
}

TEST(VersionPolicyTest, AllTakesAll) {
  EXPECT_THAT(SelectVersions({.kind = VersionPolicyKind::kAll, .specific = {}}, {0, 3, 9}), ElementsAre(0, 3, 9));
}

TEST(VersionPolicyTest, SpecificTakesThoseThatAreThere) {
  const VersionPolicy policy{.kind = VersionPolicyKind::kSpecific, .specific = {9, 0, 4}};
  EXPECT_THAT(SelectVersions(policy, {0, 3, 9}), ElementsAre(0, 9));
}

}  // namespace
}  // namespace inferd::repository
