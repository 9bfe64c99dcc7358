#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "net/loop.h"

// HTTP as front-ends see it: the same for HTTP/1.1 and HTTP/2, TLS or not.

namespace inferd::net {

enum class Method : uint8_t { kGet, kHead, kPost, kPut, kDelete, kPatch, kOptions, kOther };

// What stands before a body. Names are compared without regard to case.
struct RequestHead {
  Method method = Method::kGet;
  std::string_view method_text;
  std::string_view target;                    // as sent: "/v2/models/a%20b?x=1"
  std::vector<std::string> segments;          // percent-decoded path segments: {"v2", "models", "a b"}; "%2F" stays in one
  std::string_view query;                     // after '?', undecoded
  std::optional<uint64_t> content_length;     // absent: chunked, HTTP/2 without one, or no body
  bool http2 = false;
  bool tls = false;
  std::string_view peer;                      // "127.0.0.1:4242"
  boost::container::small_vector<std::pair<std::string_view, std::string_view>, 16> headers;

  // The first header of that name; nullopt if there is none.
  std::optional<std::string_view> Find(std::string_view name) const;
};

// A whole request. `head`'s views live as long as this object, which is move-only and may be moved to another thread.
struct HttpRequest {
  RequestHead head;
  base::BufferSlice body;
  int64_t received_ns = 0;           // base::Clock::NowNs when its first byte was read
  std::shared_ptr<const void> store; // owns what head's views point at

  HttpRequest() = default;
  HttpRequest(HttpRequest&&) = default;
  HttpRequest& operator=(HttpRequest&&) = default;
};

struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;  // Content-Length, Date, Connection are the transport's
  boost::container::small_vector<base::BufferSlice, 2> body; // written as they are, one gathering write
  bool close = false;                                        // close the connection (HTTP/1.1) behind it

  static HttpResponse Text(int status, std::string_view content_type, std::string_view body);
};

// Answers one request. Move-only; a key (connection slot, generation, stream), not a pointer: using it after the peer
// has gone does nothing. All methods are loop-bound; from elsewhere, loop().Post(). Destroyed unanswered, it sends 500.
class Reply {
 public:
  class Target;  // a connection or a stream; the transport's

  Reply() = default;
  Reply(Loop& loop, Target* target, uint32_t slot, uint64_t generation)
      : loop_(&loop), target_(target), slot_(slot), generation_(generation) {}
  ~Reply();
  Reply(Reply&& other) noexcept;
  Reply& operator=(Reply&& other) noexcept;

  explicit operator bool() const { return target_ != nullptr; }
  Loop& loop() const { return *loop_; }

  // The whole response; ends the reply.
  void Send(HttpResponse response);

  // A response in pieces (chunked, or HTTP/2 DATA): Start, Write..., End. `response.body` is the first piece.
  void Start(HttpResponse response);
  // False: the peer is gone, or more than the write high-water mark waits; then OnWritable tells when to go on.
  bool Write(base::BufferSlice piece);
  void End();
  void OnWritable(base::Task task);

  // `task` runs (on the loop) if the peer goes away before the response was sent: its queued work can be cancelled.
  void OnPeerGone(base::Task task);

 private:
  Loop* loop_ = nullptr;
  Target* target_ = nullptr;
  uint32_t slot_ = 0;
  uint64_t generation_ = 0;
};

// What the handler wants done with the body that follows a head.
struct BodyPlan {
  std::optional<HttpResponse> refuse;  // answer at once; the body is drained within limits or the connection closed
  size_t align_at = 0;                 // base::Buffer::Allocate's; where the tensor bytes start
  uint64_t bytes_max = 0;              // 0: the listener's limit
};

// What a listener serves. One per loop and listener, loop-bound, outlives the loop's connections.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Once per request, before its body is read (after "Expect: 100-continue" would be answered).
  virtual BodyPlan OnHead(const RequestHead& head) = 0;
  // The whole request. May answer at once or keep `reply` for later. HEAD is delivered as such: send the body that GET
  // would have, the transport leaves it out.
  virtual void OnRequest(HttpRequest request, Reply reply) = 0;
};

using HandlerFactory = std::move_only_function<std::unique_ptr<HttpHandler>(Loop&)>;

}  // namespace inferd::net
