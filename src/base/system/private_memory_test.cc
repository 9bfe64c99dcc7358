#include "base/system/private_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "base/system/file_descriptor.h"

namespace inferd::base {
namespace {

constexpr uid_t kNobody = 65534;

// Runs `act` in a forked process, which has this one's rights, and returns its result.
int InAChild(const std::function<int()>& act) {
  const pid_t child = fork();
  if (child == 0) _exit(act());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns 1 if the process's memory can be opened, otherwise 0.
int MemoryOpens(pid_t process) {
  return FileDescriptor(open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDWR | O_CLOEXEC)) ? 1 : 0;
}

// Returns whether a child of a process that has run `act` can open that process's memory. Both have given up root's
// rights.
int ChildOpensMemoryOf(const std::function<void()>& act) {
  return InAChild([&act] {
    if (geteuid() == 0 && setuid(kNobody) != 0) return -1;
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    act();
    const pid_t self = getpid();
    return InAChild([self] {
      // A new program would be dumpable.
      prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
      return MemoryOpens(self);
    });
  });
}

TEST(PrivateMemoryTest, AnotherProcessOfTheUserDoesNotOpenIt) {
  EXPECT_EQ(ChildOpensMemoryOf([] {}), 1);
  EXPECT_EQ(ChildOpensMemoryOf(KeepMemoryPrivate), 0);
}

TEST(PrivateMemoryTest, TheProcessSeesItselfAsBefore) {
  EXPECT_EQ(InAChild([] {
              if (geteuid() == 0 && setuid(kNobody) != 0) return 1;
              KeepMemoryPrivate();
              std::error_code error;
              for (const char* folder : {"/proc/self/fd", "/proc/self/task"}) {
                if (std::filesystem::directory_iterator(folder, error) == std::filesystem::directory_iterator())
                  return 2;
              }
              if (std::filesystem::read_symlink("/proc/self/exe", error).empty()) return 3;
              for (const char* file : {"/proc/self/statm", "/proc/self/cgroup", "/proc/self/status"}) {
                if (!FileDescriptor(open(file, O_RDONLY | O_CLOEXEC))) return 4;
              }
              const std::string memory = "/proc/self/fd/" + std::to_string(memfd_create("m", MFD_CLOEXEC));
              return FileDescriptor(open(memory.c_str(), O_RDONLY | O_CLOEXEC)) ? 0 : 5;
            }),
            0);
}

TEST(PrivateMemoryTest, AProcessThatHasGivenUpTheRightDoesNotOpenTheServersMemory) {
  const auto opens = [](bool gives_up) {
    return InAChild([gives_up] {
      KeepMemoryPrivate();
      const pid_t server = getpid();
      return InAChild([=] {
        if (gives_up && !GiveUpLookingIntoProcesses().ok()) return 2;
        return MemoryOpens(server);
      });
    });
  };
  EXPECT_EQ(opens(true), 0);
  if (InAChild([] { return prctl(PR_CAPBSET_READ, CAP_SYS_PTRACE, 0, 0, 0) == 1 && geteuid() == 0 ? 1 : 0; }) == 1) {
    EXPECT_EQ(opens(false), 1) << "root has the right, unless it gives it up";
  }
}

TEST(PrivateMemoryTest, TheRightDoesNotComeBackWithAnotherProgram) {
  EXPECT_EQ(InAChild([] {
              if (!GiveUpLookingIntoProcesses().ok()) return 2;
              return prctl(PR_CAPBSET_READ, CAP_SYS_PTRACE, 0, 0, 0) == 0 || geteuid() != 0 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace inferd::base
