#pragma once

#include "base/status.h"

namespace inferd::base {

// Keeps other processes of the same user from reading and writing this process's memory (/proc/PID/mem, ptrace,
// pidfd_getfd), and disables core files. If the user is not root, the process's private files in /proc belong to root
// from then on; the process itself can still read its own.
void KeepMemoryPrivate();

// Gives up the right to inspect other processes (CAP_SYS_PTRACE), for this process and all that it starts. Call before
// other threads are started, since rights belong to threads. PERMISSION_DENIED if the right cannot be given up.
Status GiveUpLookingIntoProcesses();

}  // namespace inferd::base
