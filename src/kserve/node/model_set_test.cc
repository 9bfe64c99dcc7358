#include "kserve/node/model_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>

#include "net/client/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ModelSetTest : public ::testing::Test {
 protected:
  std::string Source(const std::string& name) {
    source_.Write(name + "/model.json", name);
    return (source_.path() / name).string();
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(server_.port()); }
  std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  void SetIndex(std::string index) {
    const std::lock_guard lock(mutex_);
    index_ = std::move(index);
    looks_ = 0;
  }
  int looks() {
    const std::lock_guard lock(mutex_);
    return looks_;
  }
  static void Await(const std::function<bool()>& holds) {
    while (!holds()) std::this_thread::yield();
  }

  const support::TempDir source_;
  const support::TempDir place_;
  std::mutex mutex_;
  std::vector<std::string> asked_;
  std::string index_ = "no index";
  int looks_ = 0;
  // Refuses models called "bad".
  net::ScriptedServer server_{[this](const std::string& request) {
    const std::lock_guard lock(mutex_);
    if (request.starts_with("POST /v2/repository/index ")) {
      ++looks_;
      return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(index_.size()) + "\r\n\r\n" + index_;
    }
    asked_.push_back(request.substr(0, request.find(" HTTP")));
    const bool bad = request.find("/bad/") != std::string::npos;
    return std::string("HTTP/1.1 ") + (bad ? "400 Bad Request" : "200 OK") + "\r\nContent-Length: 4\r\n\r\n" +
           (bad ? "why!" : "okay");
  }};
  ModelSet set_{(place_.path() / "set").string(), (place_.path() / "claims").string(), [] {},
                [](const std::string&) {}};
};

TEST_F(ModelSetTest, ModelsAreBroughtLoadedAndUnloaded) {
  set_.SetModels({{"one", Source("one")}});
  Await([&] { return set_.states().at("one").loaded; });
  EXPECT_TRUE(std::filesystem::exists(place_.path() / "set/one/1/model.json"));
  EXPECT_FALSE(set_.has_all(address()));
  set_.SetReplicas({address()});
  Await([&] { return set_.has_all(address()); });
  EXPECT_THAT(asked(), ElementsAre("POST /v2/repository/models/one/load"));
  // A new source makes a new model.
  source_.Write("new/7/model.json", "new");
  set_.SetModels({{"one", (source_.path() / "new").string()}, {"../two", Source("two")}});
  Await([&] { return asked().size() == 2 && set_.states().at("one").loaded; });
  EXPECT_TRUE(std::filesystem::exists(place_.path() / "set/one/7/model.json"));
  EXPECT_EQ(set_.states().size(), 1U) << "a name that is none is left out";
  set_.SetModels({});
  Await([&] { return asked().size() == 3; });
  EXPECT_EQ(asked().back(), "POST /v2/repository/models/one/unload");
  Await([&] { return !std::filesystem::exists(place_.path() / "set/one"); });
}

TEST_F(ModelSetTest, ModelsInClaims) {
  std::filesystem::create_directories(place_.path() / "claims/store");
  std::filesystem::create_symlink(Source("one"), place_.path() / "claims/store/m");
  set_.SetModels({{"here", "pvc://store/m"}, {"missing", "pvc://none/m"}});
  Await([&] { return set_.states().at("here").loaded && !set_.states().at("missing").failure.empty(); });
  EXPECT_TRUE(std::filesystem::exists(place_.path() / "set/here/1/model.json"));
  EXPECT_THAT(set_.states().at("missing").failure, HasSubstr("there is no claim none"));
}

TEST_F(ModelSetTest, WhatFailsIsSaidAndHoldsNothingUp) {
  set_.SetReplicas({address()});
  set_.SetModels({{"absent", "/no/such/folder"}, {"bad", Source("bad")}, {"good", Source("good")}});
  Await([&] { return set_.has_all(address()); });
  const auto states = set_.states();
  EXPECT_THAT(states.at("absent").failure, HasSubstr("/no/such/folder"));
  EXPECT_THAT(states.at("bad").failure, HasSubstr("load: the model server answered 400 why!"));
  EXPECT_EQ(states.at("good"), (NamedModelState{.loaded = true, .failure = {}}));
  EXPECT_THAT(asked(), Contains("POST /v2/repository/models/good/load"));
}

TEST_F(ModelSetTest, AModelThatAnotherProcessUnloadsIsLoadedAgain) {
  const std::string load = "POST /v2/repository/models/one/load";
  set_.SetModels({{"one", Source("one")}});
  set_.SetReplicas({address()});
  Await([&] { return set_.has_all(address()); });
  SetIndex(R"([{"name": "one", "state": "READY"}])");
  // The answer above must be seen before the next one.
  Await([&] { return looks() >= 2; });
  SetIndex("[]");
  Await([&] { return asked().size() >= 2; });
  EXPECT_THAT(asked(), ElementsAre(load, load));
  Await([&] { return set_.has_all(address()); });
}

}  // namespace
}  // namespace inferd::node
