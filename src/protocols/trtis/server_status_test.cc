#include "protocols/trtis/server_status.h"

#include <gtest/gtest.h>

#include "serving/core/fake_catalog.h"

namespace inferd::trtis {
namespace {

namespace nv = nvidia::inferenceserver;

class ServerStatusTest : public ::testing::Test {
 protected:
  ServerStatusTest() {
    catalog_.config =
        R"({"name":"a","platform":"p","max_batch_size":4,"metric_tags":{"team":"vision"},"parameters":{}})";
    catalog_.versions = {{Version("3", core::ModelState::kReady), Version("4294967296", core::ModelState::kReady)}};
    core::ModelStatistics statistics;
    statistics.version = "7";
    statistics.inference_count = 5;
    catalog_.departed = {{.name = "gone",
                          .config_json = R"({"name":"gone","platform":"q"})",
                          .versions = {Version("7", core::ModelState::kUnavailable)},
                          .statistics = {statistics}}};
  }

  static core::IndexEntry Version(const std::string& number, core::ModelState state) {
    core::IndexEntry entry;
    entry.version = number;
    entry.state = state;
    return entry;
  }

  base::Status Make(std::string_view model = "") {
    status_.Clear();
    return MakeServerStatus({.catalog = catalog_, .state = state_}, model, status_);
  }

  core::FakeCatalog catalog_;
  const ServerState state_{"inference:0", "1"};
  nv::ServerStatus status_;
};

TEST_F(ServerStatusTest, HasModelsAndThoseThatWentAway) {
  ASSERT_TRUE(Make().ok());
  EXPECT_EQ(status_.ready_state(), nv::SERVER_READY);
  ASSERT_EQ(status_.model_status().size(), 3u);
  const nv::ModelStatus& a = status_.model_status().at("a");
  EXPECT_EQ(a.config().tags().at("team"), "vision");
  EXPECT_EQ(a.config().max_batch_size(), 4);
  ASSERT_EQ(a.version_status().size(), 1u) << "the other is beyond 32 bits";
  EXPECT_EQ(a.version_status().at(3).ready_state(), nv::MODEL_READY);
  const nv::ModelStatus& gone = status_.model_status().at("gone");
  EXPECT_EQ(gone.config().platform(), "q");
  EXPECT_EQ(gone.version_status().at(7).ready_state(), nv::MODEL_UNAVAILABLE);
  EXPECT_EQ(gone.version_status().at(7).model_inference_count(), 5u);
}

TEST_F(ServerStatusTest, OneModelIsThereOrWas) {
  ASSERT_TRUE(Make("a").ok());
  EXPECT_EQ(status_.model_status().size(), 1u);
  catalog_.versions = std::unexpected(base::NotFound("no"));
  ASSERT_TRUE(Make("gone").ok());
  EXPECT_EQ(status_.model_status().size(), 1u);
  EXPECT_EQ(Make("a"), base::NotFound("no status available for unknown model 'a'"));
  EXPECT_EQ(status_.id(), "inference:0") << "the rest is there";
}

TEST_F(ServerStatusTest, VersionsThatLeftStayWithTheirCounts) {
  core::ModelStatistics earlier;
  earlier.inference_count = 5;
  earlier.requests = {
      {.rows = 1, .success = {.count = 5, .ns = 50}, .fail = {.count = 1, .ns = 1}, .queue = {}, .compute = {}}};
  core::ModelStatistics now = earlier;
  now.version = "3";
  catalog_.statistics = {{now}};
  for (const char* version : {"2", "3"}) {
    catalog_.left.versions.push_back(Version(version, core::ModelState::kUnavailable));
    earlier.version = version;
    catalog_.left.statistics.push_back(earlier);
  }
  ASSERT_TRUE(Make("a").ok());
  const auto& versions = status_.model_status().at("a").version_status();
  EXPECT_EQ(versions.at(2).ready_state(), nv::MODEL_UNAVAILABLE);
  EXPECT_EQ(versions.at(2).model_inference_count(), 5u);
  EXPECT_EQ(versions.at(3).ready_state(), nv::MODEL_READY) << "it is back";
  EXPECT_EQ(versions.at(3).model_inference_count(), 10u);
  EXPECT_EQ(versions.at(3).infer_stats().at(1).success().count(), 10u);
  EXPECT_EQ(versions.at(3).infer_stats().at(1).success().total_time_ns(), 100u);
  EXPECT_EQ(versions.at(3).infer_stats().at(1).failed().count(), 2u);
}

TEST_F(ServerStatusTest, AConfigurationWhoseFilesHaveGoneIsThatOfTheVersionsThatLeft) {
  catalog_.config = std::unexpected(base::Unavailable("no version is ready"));
  ASSERT_TRUE(Make("a").ok());
  EXPECT_EQ(status_.model_status().at("a").config().platform(), "");
  catalog_.left.config_json = R"({"name":"a","platform":"q"})";
  ASSERT_TRUE(Make("a").ok());
  EXPECT_EQ(status_.model_status().at("a").config().platform(), "q");
}

TEST_F(ServerStatusTest, AModelThatIsBackIsShownAsItIs) {
  catalog_.departed[0].name = "a";
  ASSERT_TRUE(Make("a").ok());
  EXPECT_EQ(status_.model_status().at("a").version_status().at(3).ready_state(), nv::MODEL_READY);
  EXPECT_FALSE(status_.model_status().at("a").version_status().contains(7));
}

TEST_F(ServerStatusTest, AConfigurationThatIsNotKnownHasAName) {
  catalog_.departed[0].config_json.clear();
  ASSERT_TRUE(Make().ok());
  EXPECT_EQ(status_.model_status().at("gone").config().name(), "gone");
}

TEST_F(ServerStatusTest, AFailedStartHasNoModels) {
  catalog_.startup_failed = true;
  ASSERT_TRUE(Make().ok());
  EXPECT_EQ(status_.ready_state(), nv::SERVER_FAILED_TO_INITIALIZE);
  EXPECT_TRUE(status_.model_status().empty());
  EXPECT_EQ(Make("a").code(), base::StatusCode::kNotFound);
}

TEST_F(ServerStatusTest, UntilEveryModelWasTriedItInitializes) {
  catalog_.ready = false;
  ASSERT_TRUE(Make().ok());
  EXPECT_EQ(status_.ready_state(), nv::SERVER_INITIALIZING);
}

}  // namespace
}  // namespace inferd::trtis
