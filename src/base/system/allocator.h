#pragma once

namespace inferd::base {

// inferd is linked with tcmalloc: engines' libraries allocate aligned memory for each execution, for which glibc goes
// round the thread's cache. Where it is missing, as in other programs and in builds with sanitizers, glibc's allocator
// is told to behave alike.

// Before the process has threads.
void TuneAllocator();

// To be called about once a second, by one thread: gives the system what has been free since the last call, but for
// some megabytes. glibc does so by itself.
void TrimFreeMemory();

// Gives the system what was freed: a model's memory is not kept for requests. Walks all that is free. Thread-safe.
void ReturnFreeMemory();

}  // namespace inferd::base
