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
  // Returns the log of a manager that loaded 'm', failed to load 'broken', and ended.
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

TEST_F(ManagerLogTest, RefusedLoadCallsAreNamed) {
  options_.control = config::ControlMode::kExplicit;
  logger_ = std::move(*base::Logger::Create({.format = base::LogFormat::kHuman, .file = file_.string()}));
  AddVersion("m", 1);
  Start();
  EXPECT_FALSE(Load({.model = "m", .repository = "", .config_json = R"({"max_batch_size": "x"})", .files = {}}).ok());
  EXPECT_FALSE(Load("nowhere").ok());
  EXPECT_TRUE(Load("m").ok());
  manager_->Shutdown();
  std::ifstream stream(file_);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (line.find("is refused") != std::string::npos) lines.push_back(line);
  }
  EXPECT_THAT(lines,
              ::testing::ElementsAre(
                  HasSubstr("a load call for model 'm' is refused: failed to load 'm', failed to poll from model "
                            "repository: Invalid config override: "),
                  HasSubstr("a load call for model 'nowhere' is refused: failed to load 'nowhere', failed to poll "
                            "from model repository: model not found in any model repository")));
}

}  // namespace
}  // namespace inferd::repository
