#pragma once

#include <functional>

namespace inferd::enginekit {

// Runs `work` with little claim to a core that others want, and returns when it is done: on a thread of its own, since
// a thread's priority can be lowered by anyone, but raised again only by the privileged. Threads that `work` starts
// would stay as low. Where there is no thread to be had, it runs here.
void RunInBackground(const std::function<void()>& work);

}  // namespace inferd::enginekit
