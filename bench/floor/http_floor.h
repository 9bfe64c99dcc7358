#pragma once

#include <cstddef>
#include <string_view>

#include "net/server.h"

namespace inferd::bench {

// Returns the number after `name` in a query, or 0 if there is none.
size_t NumberIn(std::string_view query, std::string_view name);

// Makes answers with status 200 and the number of bytes in a request's query ("/?bytes=100"). Always uses the same
// memory. Not thread-safe.
class SizedAnswer final {
 public:
  net::HttpResponse For(std::string_view query);

 private:
  base::BufferSlice Bytes(size_t bytes);

  base::BufferSlice memory_;
};

// Serves on loopback, on inferd's own loops, until SIGTERM or SIGINT. If `loops` is 0, has as many loops as inferd.
// Returns the program's exit status.
int ServeFloor(const char* port, size_t loops, net::HandlerFactory handlers);

}  // namespace inferd::bench
