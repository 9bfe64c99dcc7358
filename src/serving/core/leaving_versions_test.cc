#include "serving/core/leaving_versions.h"

#include <gtest/gtest.h>

#include <set>

#include "serving/core/held_versions_fixture.h"
#include "serving/core/local_dispatcher.h"

namespace inferd::core {
namespace {

// The sequences that a version's scheduler reports, and the calls that it got.
struct Told {
  std::set<uint64_t> has;
  std::vector<uint64_t> ended;
  std::shared_ptr<const ModelVersion> kept;
  int64_t until_ns = 0;
  std::vector<QueuedRequest> requests;
};

class SequencesScheduler final : public Scheduler {
 public:
  explicit SequencesScheduler(Told& told) : told_(told) {}
  void Enqueue(QueuedRequest&& queued) override { told_.requests.push_back(std::move(queued)); }
  bool HasSequence(const Sequence& wanted) const override { return told_.has.contains(std::get<uint64_t>(wanted.id)); }
  void EndSequence(const Sequence& wanted) override { told_.ended.push_back(std::get<uint64_t>(wanted.id)); }
  void KeepForSequences(std::shared_ptr<const ModelVersion> version, int64_t until_ns) override {
    told_.kept = std::move(version);
    told_.until_ns = until_ns;
  }

 private:
  Told& told_;
};

class LeavingVersionsTest : public HeldVersionsTest {
 protected:
  ~LeavingVersionsTest() override {
    for (Told* told : {&old_, &new_}) {
      for (QueuedRequest& request : told->requests) request.Fail(base::Internal("the test is over"));
    }
  }

  std::shared_ptr<const ModelVersion> Make(int64_t version, Told& told, bool sequences = true) {
    return ModelVersion::Create(PartsOf(version, std::make_unique<SequencesScheduler>(told), sequences), retire_);
  }

  // Sends a request, and returns which of the two versions got it.
  const Told* Send(uint64_t id, bool start = false, std::string version = "") {
    auto request = Request(std::move(version));
    request->sequence = {.id = id, .start = start};
    const size_t before = old_.requests.size();
    dispatcher_.Infer(nullptr, std::move(request), Record());
    return old_.requests.size() > before ? &old_ : &new_;
  }

  Told old_;
  Told new_;
  InflightLimit inflight_{{.requests = 100}};
  LocalDispatcher dispatcher_{publisher_, inflight_, clock_};
};

TEST_F(LeavingVersionsTest, ASequenceGoesOnWhereItBegan) {
  auto old = Make(1, old_);
  const auto current = Make(2, new_);
  publisher_.leaving().Add(old);
  Publish({Ready(current)});
  LeavingVersions::Keep(std::move(old), 77);
  EXPECT_EQ(old_.until_ns, 77);
  old_.has = {1, 2};
  new_.has = {3};
  EXPECT_EQ(Send(1), &old_);
  EXPECT_EQ(Send(3), &new_);
  EXPECT_EQ(Send(4), &new_) << "which refuses it";
  EXPECT_EQ(Send(1, false, "2"), &new_) << "it names another";
  EXPECT_EQ(Send(2, true), &new_);
  EXPECT_EQ(old_.ended, (std::vector<uint64_t>{2})) << "begun anew elsewhere";
}

TEST_F(LeavingVersionsTest, VersionsThatServeHaveTheirs) {
  const auto one = Make(1, old_);
  const auto two = Make(2, new_);
  Publish({Ready(one), Ready(two)});
  old_.has = {1, 2};
  new_.has = {2};
  EXPECT_EQ(Send(1), &old_);
  EXPECT_EQ(Send(2), &new_);
  EXPECT_EQ(Send(1, true), &new_);
  EXPECT_TRUE(old_.ended.empty()) << "requests may name it";
}

TEST_F(LeavingVersionsTest, WhatIsGoneIsForgotten) {
  const auto plain = Make(3, new_, false);
  publisher_.leaving().Add(plain);
  EXPECT_TRUE(publisher_.leaving().empty()) << "it has no sequences";
  const auto current = Make(2, new_);
  auto old = Make(1, old_);
  publisher_.leaving().Add(old);
  LeavingVersions::Keep(std::move(old), 1);
  Publish({Ready(current)});
  old_.has = {1};
  publisher_.leaving().Release();
  EXPECT_EQ(old_.kept, nullptr);
  EXPECT_EQ(Send(1), &new_);
  EXPECT_TRUE(publisher_.leaving().empty());
}

}  // namespace
}  // namespace inferd::core
