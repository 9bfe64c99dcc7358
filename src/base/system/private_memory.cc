#include "base/system/private_memory.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace inferd::base {

namespace {

Status Kept(const char* what) {
  return PermissionDenied(std::string("the right CAP_SYS_PTRACE cannot be given up: ") + what + ": " +
                          std::strerror(errno));
}

}  // namespace

void KeepMemoryPrivate() { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

Status GiveUpLookingIntoProcesses() {
  // Programs that root starts get all rights of the bounding set.
  const bool bounded = prctl(PR_CAPBSET_READ, CAP_SYS_PTRACE, 0, 0, 0) != 1;
  if (!bounded && prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0) != 0 && geteuid() == 0) return Kept("bounding set");
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return Kept("capget");
  __user_cap_data_struct& set = sets[CAP_TO_INDEX(CAP_SYS_PTRACE)];
  const uint32_t others = ~static_cast<uint32_t>(CAP_TO_MASK(CAP_SYS_PTRACE));
  set.effective &= others;
  set.permitted &= others;
  set.inheritable &= others;
  return syscall(SYS_capset, &header, sets.data()) == 0 ? OkStatus() : Kept("capset");
}

}  // namespace inferd::base
