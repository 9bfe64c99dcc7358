#include "ctl/bench/load/process_cpu.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inferd::ctl {
namespace {

TEST(ProcessCpuTest, GrowsWithWork) {
  const int64_t before = ProcessCpuNs(::getpid()).value();
  int64_t after = before;
  volatile uint64_t work = 0;
  while (after < before + 20'000'000) {
    for (int i = 0; i < 1'000'000; ++i) work = work + 1;
    after = ProcessCpuNs(::getpid()).value();
  }
  EXPECT_GT(after, before);
}

TEST(ProcessCpuTest, HasThatOfTheProcessesItStarted) {
  const int64_t before = ProcessCpuNs(::getpid()).value();
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) {
    }
  }
  while (ProcessCpuNs(child).value() < 50'000'000) {
  }
  const int64_t after = ProcessCpuNs(::getpid()).value();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_GE(after, before + 50'000'000);
}

TEST(ProcessCpuTest, UnknownProcessIsAnError) {
  EXPECT_EQ(ProcessCpuNs(0x7ffffff0).error().code(), base::StatusCode::kNotFound);
}

}  // namespace
}  // namespace inferd::ctl
