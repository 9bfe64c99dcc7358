#pragma once

namespace inferd::python {

// Ends this process, and all processes that it has started, once the server is gone: `patience_ms` after the other end
// of `descriptor`, a socket, is closed for both directions. Starts a thread for that, which needs no interpreter: a
// model may hold Python's lock in a library's call for any time. Returns false if the system has no thread.
bool EndWithServer(int descriptor, int patience_ms);

}  // namespace inferd::python
