#include "kserve/node/replica_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace inferd::node {
namespace {

using testing::Contains;
using testing::Not;
using testing::StartsWith;

TEST(ReplicaEnvironmentTest, HasWhatProgramsNeedAndWhatIsNamed) {
  setenv("LANG", "C.UTF-8", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "key", 1);
  setenv("REPLICA_ENVIRONMENT_TEST", "1", 1);
  const auto own = ReplicaEnvironment({});
  const auto with_named = ReplicaEnvironment({"REPLICA_ENVIRONMENT_TEST", "NOT_SET_ANYWHERE"});
  unsetenv("AWS_SECRET_ACCESS_KEY");
  unsetenv("REPLICA_ENVIRONMENT_TEST");
  EXPECT_THAT(own, Contains("LANG=C.UTF-8"));
  EXPECT_THAT(own, Contains(StartsWith("PATH=")));
  EXPECT_THAT(own, Not(Contains(StartsWith("AWS_SECRET_ACCESS_KEY="))));
  EXPECT_THAT(own, Not(Contains(StartsWith("REPLICA_ENVIRONMENT_TEST="))));
  EXPECT_THAT(with_named, Contains("REPLICA_ENVIRONMENT_TEST=1"));
  EXPECT_THAT(with_named, Not(Contains(StartsWith("NOT_SET_ANYWHERE"))));
}

}  // namespace
}  // namespace inferd::node
