#include "base/version/version.h"

#include <gmock/gmock.h>

#include <string>

namespace inferd::base {
namespace {

TEST(VersionTest, IsASemanticVersionWithAtMostTheCommit) {
  EXPECT_THAT(std::string(BuildVersion()), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+(\\+g[0-9a-f]+)?"));
}

}  // namespace
}  // namespace inferd::base
