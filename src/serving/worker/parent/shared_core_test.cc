#include "serving/worker/parent/shared_core.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <thread>

namespace inferd::worker {
namespace {

cpu_set_t CoresOf(pid_t thread) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  EXPECT_EQ(sched_getaffinity(thread, sizeof cores, &cores), 0);
  return cores;
}

bool Same(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b); }

// A thread that idles until it is destroyed.
class Partner final {
 public:
  Partner() : id_(number_.get_future().get()) {}
  ~Partner() {
    end_.set_value();
    thread_.join();
  }
  pid_t id() const { return id_; }

 private:
  std::promise<pid_t> number_;
  std::promise<void> end_;
  std::thread thread_{[this] {
    number_.set_value(gettid());
    end_.get_future().wait();
  }};
  const pid_t id_;
};

TEST(SharedCoreTest, BothAreOnOneCoreUntilTheyPart) {
  const Partner partner;
  const cpu_set_t before = CoresOf(0);
  SharedCore core;
  core.Share(partner.id());
  const cpu_set_t shared = CoresOf(0);
  EXPECT_EQ(CPU_COUNT(&shared), 1);
  EXPECT_TRUE(Same(CoresOf(partner.id()), shared));
  core.Leave();
  EXPECT_TRUE(Same(CoresOf(0), before));
  EXPECT_TRUE(Same(CoresOf(partner.id()), shared)) << "it waits for the next time";
  core.Share(partner.id());
  core.Leave();
  core.Part();
  EXPECT_TRUE(Same(CoresOf(partner.id()), before));
}

TEST(SharedCoreTest, WithoutAPartnerTheCallerStaysFree) {
  pid_t gone = 0;
  std::thread([&] { gone = gettid(); }).join();
  const cpu_set_t before = CoresOf(0);
  SharedCore core;
  core.Share(gone);
  EXPECT_TRUE(Same(CoresOf(0), before));
  core.Leave();
  core.Part();
  EXPECT_TRUE(Same(CoresOf(0), before));
}

}  // namespace
}  // namespace inferd::worker
