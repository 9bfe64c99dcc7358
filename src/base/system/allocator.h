#pragma once

namespace inferd::base {

// Tuning of the memory allocator. inferd is linked with tcmalloc, because engines' libraries allocate aligned memory
// for each execution, and glibc bypasses the thread's cache for that. In programs without tcmalloc, and in builds with
// sanitizers, glibc's allocator is configured to behave alike.

// Configures the allocator. Call before the process has threads.
void TuneAllocator();

// Returns memory to the system that has been unused since the last call, except for some megabytes. Call about once a
// second, from one thread. With glibc it does nothing, since glibc trims by itself.
void TrimFreeMemory();

// Returns freed memory to the system, so that an unloaded model's memory is not kept for requests. Walks all free
// memory. Thread-safe.
void ReturnFreeMemory();

}  // namespace inferd::base
