#pragma once

namespace inferd::worker {

// The descriptor of a worker process's end of the socket.
inline constexpr int kWorkerSocket = 3;

// The program inferd-worker: opens the engine and hosts the models that its server orders, until the server is gone or
// dismisses it. Returns the exit status, or exits at once.
int RunWorker();

}  // namespace inferd::worker
