#include "net/client/process_cpu.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace inferd::net {
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

TEST(ProcessCpuTest, UnknownProcessIsAnError) {
  EXPECT_EQ(ProcessCpuNs(0x7ffffff0).error().code(), base::StatusCode::kNotFound);
}

}  // namespace
}  // namespace inferd::net
