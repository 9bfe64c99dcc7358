#pragma once

#include <cstddef>
#include <functional>

namespace inferd::kit {

// Runs `work` at low priority, and returns when it is done. It uses a separate thread, since anyone can lower a
// thread's priority, but only the privileged can raise it again. Threads that `work` starts inherit the low priority.
// If no thread can be created, it runs on the calling thread. `work` must not throw. `stack_bytes` is the thread's
// stack size, for libraries whose recursion is as deep as a file's nesting; 0 for the default. Unused stack takes no
// memory.
void RunInBackground(const std::function<void()>& work, size_t stack_bytes = 0);

}  // namespace inferd::kit
