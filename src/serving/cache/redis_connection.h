#pragma once

#include <hiredis/hiredis.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "net/tls.h"
#include "net/transport.h"
#include "serving/cache/reply_bounds.h"

namespace inferd::cache {

// One connection to a Redis, with or without TLS. Sends commands, and returns their replies in the order of the
// commands. Blocks only to look up the host's name. Used by one thread.
class RedisConnection final {
 public:
  struct Target {
    std::string host;
    uint16_t port = 0;
    std::shared_ptr<net::TlsContext> tls;  // null for no TLS
    std::string tls_name;                  // the name that the certificate must have; empty means the host
  };
  // Starts to connect. UNAVAILABLE, with the reason, if that fails. A reply with a value of more than `value_bytes_max`
  // bytes ends the connection.
  static base::Result<std::unique_ptr<RedisConnection>> Open(const Target& target, size_t value_bytes_max);
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  // The file descriptor and the events to poll for, before each Advance().
  int fd() const { return context_->fd; }
  int16_t events() const;
  // True if more bytes can be read already: call Advance() again, whatever poll() returns.
  bool has_more() const { return has_more_; }

  // Queues a command in hiredis' format. The next Advance() sends it. Returns false if the format is wrong, or there is
  // no memory.
  bool Send(const char* format, ...);

  // Continues after an event. Reads a limited amount, so that its thread gets to other work however much the Redis
  // sends. Calls `take` for each reply, which is valid during the call. If it returns an error, which may come from
  // `take`, the connection is unusable.
  using Take = std::function<base::Status(const redisReply& reply)>;
  base::Status Advance(const Take& take);

 private:
  using State = net::Transport::State;
  struct FreeContext {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  struct FreeCommand {
    void operator()(char* command) const { std::free(command); }
  };
  struct Command {
    std::unique_ptr<char, FreeCommand> bytes;
    size_t size = 0;
    size_t sent = 0;
  };

  RedisConnection(std::unique_ptr<redisContext, FreeContext> context, std::unique_ptr<net::Transport> transport,
                  size_t value_bytes_max);

  base::Status Connect();
  base::Status Write();
  base::Status Read(const Take& take);
  base::Status TakeReplies(const Take& take);
  base::Status Lost(State state) const;

  const std::unique_ptr<redisContext, FreeContext> context_;  // the socket, and the reader of replies
  const std::unique_ptr<net::Transport> transport_;
  ReplyBounds bounds_;
  bool has_more_ = false;
  bool connected_ = false;
  bool secured_ = false;               // the TLS handshake is done
  State waiting_ = State::kWantWrite;  // the state of the handshake; after it, of writing
  std::deque<Command> commands_;
};

}  // namespace inferd::cache
