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

// One connection to a Redis, in the clear or by TLS: commands out, their replies in, in the order of the commands. It
// does not block but to look up the host's name. Used by one thread.
class RedisConnection final {
 public:
  struct Target {
    std::string host;
    uint16_t port = 0;
    std::shared_ptr<net::TlsContext> tls;  // null: in the clear
    std::string tls_name;                  // whom the certificate must be for; empty: the host
  };
  // Begins to connect. UNAVAILABLE says why there is no way. A reply with a value of more than `value_bytes_max` bytes
  // ends the connection.
  static base::Result<std::unique_ptr<RedisConnection>> Open(const Target& target, size_t value_bytes_max);
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  // What to poll for, before each Advance.
  int fd() const { return context_->fd; }
  int16_t events() const;
  // There is more to read already: Advance is to be called again, whatever poll says.
  bool has_more() const { return has_more_; }

  // A command in hiredis' format; it leaves with the next Advance. False: it is none, or there is no memory for it.
  bool Send(const char* format, ...);

  // Goes on when one of the events has come, but reads so much at most that its thread gets to other things, however
  // much the Redis sends. `take` is called for each reply; the reply lasts as long as the call. An error, which `take`
  // may give, too: the connection is of no use any more.
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
  bool secured_ = false;               // the handshake is over
  State waiting_ = State::kWantWrite;  // of the step before that; of what is to be written afterwards
  std::deque<Command> commands_;
};

}  // namespace inferd::cache
