#include "engines/python/process_stat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inferd::python {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(ProcessStatTest, TellsOfAProcessUntilItWasWaitedFor) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    _exit(0);
  }
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  const auto stat = StatOf(child);
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->state, 'Z');
  EXPECT_EQ(stat->parent, getpid());
  EXPECT_EQ(stat->session, child);
  EXPECT_THAT(Processes(), Contains(child));
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(StatOf(child).has_value());
  EXPECT_THAT(Processes(), Not(Contains(child)));
}

TEST(ProcessStatTest, TellsOfThisProcess) {
  const auto stat = StatOf(getpid());
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->parent, getppid());
  EXPECT_EQ(stat->session, getsid(0));
}

}  // namespace
}  // namespace inferd::python
