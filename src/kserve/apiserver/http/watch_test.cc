#include "kserve/apiserver/http/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/fake_exchange.h"

namespace inferd::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class WatchTest : public ::testing::Test {
 protected:
  void Put(const std::string& name, const std::string& data = "") {
    const auto json = [&](int64_t revision) {
      return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
             R"(","namespace":"default","resourceVersion":")" + std::to_string(revision) + R"("},"data":{"d":")" +
             data + R"("}})";
    };
    ASSERT_TRUE(store_->Commit({.key = {type_.resource(), "default", name}, .expected = 0, .json = json}).has_value());
  }
  std::unique_ptr<Watch> Open(int64_t revision, std::string_view labels = "") {
    WatchRequest request;
    request.selector = *Selector::Parse(type_, labels, "");
    request.type = &type_;
    request.revision = revision;
    request.bookmarks = request.initial_end = revision == 0;
    auto watch = std::make_unique<Watch>(*store_, clock_, std::move(request), exchange_.Open());
    watch->Start();
    return watch;
  }
  // Returns the names of the objects in the sent events, and "" for a bookmark.
  std::vector<std::string> Told() const {
    std::vector<std::string> names;
    for (const base::BufferSlice& piece : exchange_.responses.back().body) {
      const std::string_view line = piece.view();
      const size_t begin = line.find(R"("name":")");
      names.emplace_back(begin == std::string_view::npos ? "" : line.substr(begin + 8, 1));
    }
    return names;
  }

  const ResourceType& type_ = *FindKind("v1", "ConfigMap");
  const std::unique_ptr<ObjectStore> store_ = *ObjectStore::Open("");
  base::FakeClock clock_;
  net::FakeLoop loop_;
  net::Reply::Target target_{loop_};
  net::FakeExchange exchange_{target_};
};

TEST_F(WatchTest, WhatThereIsComesAsFastAsTheClientTakesIt) {
  for (const char* name : {"a", "b", "c"}) Put(name);
  exchange_.takes_more = false;
  const auto watch = Open(0);
  EXPECT_THAT(Told(), ElementsAre("a"));
  // Changes during the list are sent after it.
  Put("d");
  watch->Pump();
  EXPECT_THAT(Told(), ElementsAre("a"));
  watch->Resume();
  watch->Pump();
  EXPECT_THAT(Told(), ElementsAre("a", "b"));
  exchange_.takes_more = true;
  watch->Resume();
  watch->Pump();
  EXPECT_THAT(Told(), ElementsAre("a", "b", "c", "", "d"));
}

TEST_F(WatchTest, ChangesBehindARevisionAreTold) {
  Put("a");
  const auto watch = Open(store_->revision());
  EXPECT_THAT(Told(), SizeIs(0));
  Put("b");
  watch->Pump();
  EXPECT_THAT(Told(), ElementsAre("b"));
  EXPECT_THAT(net::BodyText(exchange_.responses.back()), HasSubstr(R"("type":"ADDED")"));
}

TEST_F(WatchTest, OthersHaveTheirTurnWhileAWatchLooksForWhatItWants) {
  for (int i = 0; i < 450; ++i) Put(std::to_string(i));
  const auto watch = Open(0, "app=nothing");
  EXPECT_TRUE(watch->unfinished());
  watch->Pump();
  EXPECT_TRUE(watch->unfinished());
  EXPECT_THAT(Told(), SizeIs(0));
  watch->Pump();
  EXPECT_FALSE(watch->unfinished());
  EXPECT_THAT(Told(), ElementsAre("")) << "that is all";
}

TEST_F(WatchTest, ALargeObjectIsNotCopiedForEachWatch) {
  Put("a", std::string(100'000, 'x'));
  const auto watch = Open(0);
  const auto& body = exchange_.responses.back().body;
  ASSERT_THAT(body, SizeIs(4));  // the object, the text before and after it, and a bookmark
  EXPECT_EQ(body[1].view().data(), store_->Get({type_.resource(), "default", "a"})->json.data());
  EXPECT_THAT(net::BodyText(exchange_.responses.back()), HasSubstr(R"({"type":"ADDED","object":{"apiVersion":"v1",)"));
}

}  // namespace
}  // namespace inferd::apiserver
