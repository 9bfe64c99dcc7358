/* Preloaded into a server: writes down each connection, look-up of a name and file opened for writing.
 * OUTSIDE_RECORD: the file to append to. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int (*next_open(void))(const char*, int, ...) { return (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open"); }

static void Record(const char* what, const char* where) {
  char line[4200];
  const char* record = getenv("OUTSIDE_RECORD");
  if (record == NULL) return;
  const int size = snprintf(line, sizeof(line), "%s %s\n", what, where);
  const int fd = next_open()(record, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, line, size) != size) abort();
  close(fd);
}

static void RecordOpen(const char* path, int flags) {
  if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0) Record("write", path);
}

static void RecordAddress(const char* what, const struct sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address == NULL || (address->sa_family != AF_INET && address->sa_family != AF_INET6)) return;
  const void* number = address->sa_family == AF_INET ? (const void*)&((const struct sockaddr_in*)address)->sin_addr
                                                     : (const void*)&((const struct sockaddr_in6*)address)->sin6_addr;
  Record(what, inet_ntop(address->sa_family, number, text, sizeof(text)));
}

int connect(int fd, const struct sockaddr* address, socklen_t size) {
  RecordAddress("connect", address);
  return ((int (*)(int, const struct sockaddr*, socklen_t))dlsym(RTLD_NEXT, "connect"))(fd, address, size);
}

ssize_t sendto(int fd, const void* data, size_t size, int flags, const struct sockaddr* address, socklen_t length) {
  RecordAddress("sendto", address);
  return ((ssize_t(*)(int, const void*, size_t, int, const struct sockaddr*, socklen_t))dlsym(RTLD_NEXT, "sendto"))(
      fd, data, size, flags, address, length);
}

int getaddrinfo(const char* host, const char* service, const struct addrinfo* hints, struct addrinfo** found) {
  struct in6_addr address;
  /* A number needs no look-up. */
  if (host != NULL && inet_pton(AF_INET, host, &address) != 1 && inet_pton(AF_INET6, host, &address) != 1) {
    Record("look-up", host);
  }
  return ((int (*)(const char*, const char*, const struct addrinfo*, struct addrinfo**))dlsym(RTLD_NEXT, "getaddrinfo"))(
      host, service, hints, found);
}

struct hostent* gethostbyname(const char* host) {
  Record("look-up", host);
  return ((struct hostent * (*)(const char*)) dlsym(RTLD_NEXT, "gethostbyname"))(host);
}

#define MODE                                  \
  mode_t mode = 0;                            \
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) { \
    va_list arguments;                        \
    va_start(arguments, flags);               \
    mode = va_arg(arguments, mode_t);         \
    va_end(arguments);                        \
  }

#define OPEN(name)                                                                   \
  int name(const char* path, int flags, ...) {                                       \
    MODE RecordOpen(path, flags);                                                    \
    return ((int (*)(const char*, int, ...))dlsym(RTLD_NEXT, #name))(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                              \
  int name(int folder, const char* path, int flags, ...) {                                        \
    MODE RecordOpen(path, flags);                                                                 \
    return ((int (*)(int, const char*, int, ...))dlsym(RTLD_NEXT, #name))(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name)                                                                  \
  FILE* name(const char* path, const char* mode) {                                   \
    if (strpbrk(mode, "wa+") != NULL) Record("write", path);                         \
    return ((FILE * (*)(const char*, const char*)) dlsym(RTLD_NEXT, #name))(path, mode); \
  }
FOPEN(fopen)
FOPEN(fopen64)

int mkdir(const char* path, mode_t mode) {
  Record("write", path);
  return ((int (*)(const char*, mode_t))dlsym(RTLD_NEXT, "mkdir"))(path, mode);
}
