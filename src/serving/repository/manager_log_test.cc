#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "serving/repository/manager_fixture.h"

namespace inferd::repository {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class ManagerLogTest : public ManagerTest {
 protected:
  // The log of a manager that has loaded 'm', failed to load 'broken', and ended.
  std::vector<std::string> LinesOf(base::LogFormat format) {
    logger_ = std::move(*base::Logger::Create({.format = format, .file = file_.string()}));
    AddVersion("m", 3);
    AddVersion("broken", 2);
    FailLoadsOf("broken", "no such operator");
    Start();
    manager_->Shutdown();
    std::ifstream stream(file_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  inferd::support::TempDir logs_;
  const std::filesystem::path file_ = logs_.path() / "log";
};

TEST_F(ManagerLogTest, LoadsNameModelAndVersionInJson) {
  const std::vector<std::string> lines = LinesOf(base::LogFormat::kJson);
  EXPECT_THAT(lines, Contains(EndsWith(R"("message":"loaded 'm' version 3","model":"m","version":3})")));
  EXPECT_THAT(lines, Contains(EndsWith(R"("message":"unloading 'm' version 3","model":"m","version":3})")));
  EXPECT_THAT(lines, Contains(EndsWith(R"(no such operator","model":"broken","version":2})")));
}

TEST_F(ManagerLogTest, LinesForPeopleNameThemOnce) {
  const std::vector<std::string> lines = LinesOf(base::LogFormat::kHuman);
  EXPECT_THAT(lines, Contains(EndsWith("loaded 'm' version 3")));
  EXPECT_THAT(lines, Contains(EndsWith("unloading 'm' version 3")));
  EXPECT_THAT(lines, Contains(EndsWith("no such operator")));
  EXPECT_THAT(lines, Contains(HasSubstr("failed to load 'broken' version 2: ")));
}

}  // namespace
}  // namespace inferd::repository
