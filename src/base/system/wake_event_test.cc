#include "base/system/wake_event.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace inferd::base {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class WakeEventTest : public ::testing::Test {
 protected:
  void Signal() const {
    const uint64_t one = 1;
    ASSERT_EQ(write(signals_.get(), &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
  }

  const FileDescriptor signals_{eventfd(0, EFD_CLOEXEC)};
  const WakeEvent event_;
};

TEST_F(WakeEventTest, AWakeBeforeTheWaitEndsIt) {
  event_.Wake();
  EXPECT_TRUE(event_.Await(signals_.get(), hours(1)));
}

TEST_F(WakeEventTest, TheTimeEndsIt) { EXPECT_TRUE(event_.Await(signals_.get(), milliseconds(1))); }

TEST_F(WakeEventTest, TheDescriptorCountsBeforeAWake) {
  Signal();
  event_.Wake();
  EXPECT_FALSE(event_.Await(signals_.get(), hours(1)));
}

}  // namespace
}  // namespace inferd::base
