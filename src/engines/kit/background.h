#pragma once

#include <cstddef>
#include <functional>

namespace inferd::kit {

// Runs `work` with little claim to a core that others want, and returns when it is done: on a thread of its own, since
// a thread's priority can be lowered by anyone, but raised again only by the privileged. Threads that `work` starts
// would stay as low. Where there is no thread to be had, it runs here. `work` must not throw. `stack_bytes`: of that
// thread, for libraries that call themselves as deeply as a file has it nested; 0: as usual. What is not used takes no
// memory.
void RunInBackground(const std::function<void()>& work, size_t stack_bytes = 0);

}  // namespace inferd::kit
