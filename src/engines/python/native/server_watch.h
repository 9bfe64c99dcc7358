#pragma once

namespace inferd::python {

// Ends this process, and all that it has started, once the server has gone: `patience_ms` after the other end of
// `descriptor`, a socket, is closed for both directions. A thread of its own waits for that, which needs no
// interpreter: a model may hold Python's lock in a library's call for as long as it likes. Returns false if the system
// gives no thread.
bool EndWithServer(int descriptor, int patience_ms);

}  // namespace inferd::python
