#include "kserve/apiserver/http/streams.h"

#include <gtest/gtest.h>

#include "net/fake_exchange.h"

namespace inferd::apiserver {
namespace {

class OpenStream final : public Stream {
 public:
  using Stream::Stream;
  void Start() override { reply().Start({}); }
  void Pump() override {}
  void Tick() override {}
};

// A stream with work for a number of turns.
class LongStream final : public Stream {
 public:
  LongStream(net::Reply reply, int turns) : Stream(std::move(reply), std::chrono::seconds(1800)), turns_(turns) {}
  void Start() override {
    reply().Start({});
    Pump();
  }
  void Pump() override {
    Write(std::string("x"));
    SetUnfinished(--turns_ > 0);
  }
  void Tick() override {}

 private:
  int turns_;
};

class StreamsTest : public ::testing::Test {
 protected:
  void Add() {
    streams_->Add(std::make_unique<OpenStream>(exchange_.Open(), std::chrono::seconds(1800)));
    loop_.RunAll();
  }
  void LeavePeer() {
    exchange_.TellPeerGone();
    loop_.RunAll();
  }

  const std::unique_ptr<ObjectStore> store_ = *ObjectStore::Open("");
  net::FakeLoop loop_;
  net::Reply::Target target_{loop_};
  net::FakeExchange exchange_{target_};
  const std::shared_ptr<Streams> streams_ = std::make_shared<Streams>(*store_, loop_);
};

TEST_F(StreamsTest, AStreamThatIsOverLeavesNoTimer) {
  Add();
  LeavePeer();
  const size_t ticking = loop_.timers();
  for (int i = 0; i < 10'000; ++i) {
    Add();
    LeavePeer();
  }
  EXPECT_EQ(loop_.timers(), ticking);
}

TEST_F(StreamsTest, AnUnfinishedOneGoesOnBehindOthers) {
  streams_->Add(std::make_unique<LongStream>(exchange_.Open(), 3));
  EXPECT_EQ(net::BodyText(exchange_.responses.back()), "x");
  bool other = false;
  loop_.Post([&] { other = net::BodyText(exchange_.responses.back()) == "xx"; });
  loop_.RunAll();
  EXPECT_TRUE(other);
  EXPECT_EQ(net::BodyText(exchange_.responses.back()), "xxx");
}

TEST_F(StreamsTest, OneWhoseTimeIsOverIsFinished) {
  Add();
  EXPECT_TRUE(exchange_.in_pieces);
  loop_.RunTimers();
  EXPECT_FALSE(exchange_.in_pieces);
}

TEST_F(StreamsTest, TheEndOfAllLeavesNoTimerButTheTick) {
  Add();
  const size_t with_one = loop_.timers();
  streams_->Finish();
  EXPECT_EQ(loop_.timers(), with_one - 1);
}

}  // namespace
}  // namespace inferd::apiserver
