#pragma once

namespace inferd::worker {

// Where a worker process finds its end of the socket.
inline constexpr int kWorkerSocket = 3;

// The program inferd-worker: opens the engine and hosts the models that its server orders, until the server is gone or
// wants it no more.
// Returns the exit status, or leaves at once.
int RunWorker();

}  // namespace inferd::worker
