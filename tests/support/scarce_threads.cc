// LD_PRELOAD: while the file $SCARCE_THREADS exists, the process gets no new thread, as at a limit of processes (which
// does not hold for root, as which tests may run).

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*run)(void*), void* argument) {
  const char* const file = std::getenv("SCARCE_THREADS");
  if (file != nullptr && access(file, F_OK) == 0) return EAGAIN;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, run, argument);
}
