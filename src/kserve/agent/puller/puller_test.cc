#include "kserve/agent/puller/puller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <mutex>

#include "net/client/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace inferd::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

namespace fs = std::filesystem;

class PullerTest : public ::testing::Test {
 protected:
  PullerTest() {
    options_.config_folder = dir_.path() / "configs";
    options_.model_folder = dir_.path() / "models";
    options_.component.port = server_.port();
    options_.look_every = std::chrono::milliseconds(5);
    options_.compare_every = std::chrono::hours(1);
    fs::create_directories(options_.config_folder);
    for (const char* name : {"one", "two"}) {
      fs::create_directories(dir_.path() / name);
      std::ofstream(dir_.path() / name / "file") << name;
    }
  }
  void Start() { puller_ = std::make_unique<Puller>(options_, registry_, *logger_); }
  void List(std::string_view text) {
    const fs::path written = fs::path(options_.config_folder) / "new";
    std::ofstream(written) << text;
    fs::rename(written, fs::path(options_.config_folder) / "models.json");
  }
  std::string Model(const std::string& name, const std::string& source) const {
    return R"({"modelName":")" + name + R"(","modelSpec":{"storageUri":")" + (dir_.path() / source).string() + "\"}}";
  }
  std::vector<std::string> AwaitCalls(size_t count) {
    std::unique_lock lock(mutex_);
    called_.wait(lock, [&] { return calls_.size() >= count; });
    return calls_;
  }
  std::string Content(const std::string& name) const {
    std::ifstream file(fs::path(options_.model_folder) / name / "file");
    return (std::ostringstream() << file.rdbuf()).str();
  }

  support::TempDir dir_;
  std::mutex mutex_;
  std::condition_variable called_;
  std::vector<std::string> calls_;
  net::ScriptedServer server_{[this](const std::string& request) {
    {
      const std::lock_guard lock(mutex_);
      calls_.push_back(request.substr(5, request.find(" HTTP/") - 5));
    }
    called_.notify_all();
    const bool index = request.starts_with("POST /v2/repository/index");
    const std::string body = index ? "[]" : "";
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }};
  PullerOptions options_;
  metrics::Registry registry_;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  std::unique_ptr<Puller> puller_;
};

TEST_F(PullerTest, ModelsComeChangeAndGo) {
  List("[" + Model("a", "one") + "," + Model("b", "two") + "]");
  Start();
  EXPECT_TRUE(puller_->AwaitFirstModels({}));
  EXPECT_EQ(Content("a"), "one");
  EXPECT_EQ(Content("b"), "two");
  EXPECT_THAT(AwaitCalls(2), UnorderedElementsAre("/v2/repository/models/a/load", "/v2/repository/models/b/load"));
  List("[" + Model("a", "two") + "]");
  AwaitCalls(4);
  puller_.reset();
  EXPECT_EQ(Content("a"), "two");
  EXPECT_FALSE(fs::exists(fs::path(options_.model_folder) / "b"));
}

TEST_F(PullerTest, WhatWasBroughtBeforeIsOnlyLoaded) {
  List("[" + Model("a", "one") + "]");
  Start();
  AwaitCalls(1);
  puller_.reset();
  fs::remove_all(dir_.path() / "one");
  Start();
  EXPECT_TRUE(puller_->AwaitFirstModels({}));
  EXPECT_THAT(AwaitCalls(2), ElementsAre("/v2/repository/models/a/load", "/v2/repository/models/a/load"));
}

TEST_F(PullerTest, WhatTheServerHasLostIsLoadedAgain) {
  options_.compare_every = std::chrono::milliseconds(1);
  List("[" + Model("a", "one") + "]");
  Start();
  std::vector<std::string> calls = AwaitCalls(3);
  calls.resize(3);  // the rest repeats
  EXPECT_THAT(calls,
              ElementsAre("/v2/repository/models/a/load", "/v2/repository/index", "/v2/repository/models/a/load"));
}

TEST_F(PullerTest, WithoutAListNothingHappens) {
  fs::create_directories(fs::path(options_.model_folder) / "others");
  Start();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(puller_->AwaitFirstModels(stop.get_token()));
  List("[]");
  EXPECT_TRUE(puller_->AwaitFirstModels({}));
  puller_.reset();
  EXPECT_THAT(calls_, IsEmpty());
  EXPECT_TRUE(fs::exists(fs::path(options_.model_folder) / "others"));
}

}  // namespace
}  // namespace inferd::agent
