#pragma once

#include "base/status.h"

namespace inferd::base {

// Keeps other processes of the same user from reading and writing this one's memory (/proc/PID/mem, ptrace,
// pidfd_getfd). The kernel writes no core files of it either. Where the user is not root, the process's files in /proc
// that only it may read are root's from then on; it reads its own as before.
void KeepMemoryPrivate();

// Gives up the right to look into other processes (CAP_SYS_PTRACE), for this process and all that it starts. Call
// before other threads are started, since each has rights of its own. PERMISSION_DENIED: the right cannot be given up.
Status GiveUpLookingIntoProcesses();

}  // namespace inferd::base
