#include "ctl/doctor/machine.h"

#include <gmock/gmock.h>

#include <unistd.h>

namespace inferd::ctl {
namespace {

using ::testing::HasSubstr;
using Level = Finding::Level;

constexpr uint64_t kGiB = uint64_t{1} << 30;

Machine GoodMachine() {
  return {.limits_of = "this shell",
          .open_files_max = 65536,
          .locked_memory_max = UINT64_MAX,
          .memory = 8 * kGiB,
          .usable_memory = 8 * kGiB,
          .free_memory = 4 * kGiB,
          .cores = 4,
          .usable_cores = 4,
          .load = 1,
          .shm_bytes = 4 * kGiB,
          .shm_free = 4 * kGiB};
}

Finding Of(const std::string& subject, const Machine& machine, uint64_t models = 0) {
  for (Finding& finding : JudgeMachine(machine, models)) {
    if (finding.subject == subject) return finding;
  }
  return {};
}

TEST(MachineTest, AGoodMachineHasNothingToDo) {
  for (const Finding& finding : JudgeMachine(GoodMachine(), kGiB)) {
    EXPECT_EQ(finding.level, Level::kOk) << finding.subject;
    EXPECT_EQ(finding.to_do, "") << finding.subject;
    EXPECT_NE(finding.found, "") << finding.subject;
  }
}

TEST(MachineTest, FewOpenFiles) {
  Machine machine = GoodMachine();
  machine.open_files_max = 1024;
  EXPECT_EQ(Of("open files", machine).level, Level::kAdvice);
  EXPECT_EQ(Of("open files", machine).found, "1024 (this shell)");
  EXPECT_THAT(Of("open files", machine).to_do, HasSubstr("ulimit -n 65536"));
  machine.open_files_max = 64;
  EXPECT_EQ(Of("open files", machine).level, Level::kProblem);
  machine.open_files_max = UINT64_MAX;
  EXPECT_EQ(Of("open files", machine).found, "unlimited (this shell)");
}

TEST(MachineTest, LittleMemory) {
  Machine machine = GoodMachine();
  machine.usable_memory = 2 * kGiB;
  EXPECT_THAT(Of("memory", machine).found,
              HasSubstr("of 2.0 GiB, the limit of the control group; the machine has 8.0"));
  EXPECT_EQ(Of("memory", machine, 5 * kGiB).level, Level::kAdvice);
  EXPECT_THAT(Of("memory", machine, 5 * kGiB).to_do, HasSubstr("--lazy-loading"));
  machine.free_memory = 1 << 20;
  EXPECT_EQ(Of("memory", machine).level, Level::kProblem);
}

TEST(MachineTest, BusyCores) {
  Machine machine = GoodMachine();
  machine.usable_cores = 2;
  EXPECT_EQ(Of("cores", machine).found, "2 of 4 usable (a control group or an affinity limits them), load 1.0");
  machine.load = 9;
  EXPECT_EQ(Of("cores", machine).level, Level::kAdvice);
}

TEST(MachineTest, LittleSharedMemory) {
  Machine machine = GoodMachine();
  machine.shm_free = 0;
  EXPECT_EQ(Of("/dev/shm", machine).level, Level::kAdvice);
  machine.shm_bytes.reset();
  EXPECT_EQ(Of("/dev/shm", machine).found, "not there");
}

TEST(MachineTest, ReadsTheLimitsOfAProcess) {
  const std::string limits =
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max locked memory         8388608              unlimited            bytes     \n"
      "Max open files            1024                 4096                 files     \n"
      "Max file size             unlimited            unlimited            bytes     \n";
  EXPECT_EQ(SoftLimit(limits, "Max open files"), 1024u);
  EXPECT_EQ(SoftLimit(limits, "Max locked memory"), 8388608u);
  EXPECT_EQ(SoftLimit(limits, "Max file size"), UINT64_MAX);
  EXPECT_EQ(SoftLimit(limits, "Max pipes"), std::nullopt);
  EXPECT_EQ(SoftLimit("Max open files lots", "Max open files"), std::nullopt);
}

TEST(MachineTest, ReadsThisMachine) {
  const Machine machine = ReadMachine(0);
  EXPECT_EQ(machine.limits_of, "this shell");
  EXPECT_GT(machine.open_files_max, 0u);
  EXPECT_GT(machine.free_memory, 0u);
  EXPECT_LE(machine.free_memory, machine.usable_memory);
  EXPECT_LE(machine.usable_memory, machine.memory);
  EXPECT_GE(machine.usable_cores, 1);
  EXPECT_GE(machine.load, 0);
  const Machine own = ReadMachine(getpid());
  EXPECT_EQ(own.limits_of, "process " + std::to_string(getpid()));
  EXPECT_EQ(own.open_files_max, machine.open_files_max);
}

}  // namespace
}  // namespace inferd::ctl
