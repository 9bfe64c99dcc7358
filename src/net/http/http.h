#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "net/loop/loop.h"

// HTTP as front-ends see it: the same for HTTP/1.1 and HTTP/2, TLS or not.

namespace inferd::net {

class BodyPool;

enum class Method : uint8_t { kGet, kHead, kPost, kPut, kDelete, kPatch, kOptions, kOther };

// What stands before a body. Names are compared without regard to case.
struct RequestHead {
  Method method = Method::kGet;
  std::string_view method_text;
  std::string_view target;  // as sent: "/v2/models/a%20b?x=1"; of the absolute form what is behind the host
  // Percent-decoded path segments: {"v2", "models", "a b"}; "%2F" stays in one. Views into `target`, or into `decoded`.
  boost::container::small_vector<std::string_view, 6> segments;
  std::shared_ptr<const char[]> decoded;   // null: no segment had an escape
  std::string_view query;                  // after '?', undecoded
  std::optional<uint64_t> content_length;  // absent: chunked, HTTP/2 without one, or no body
  bool http2 = false;
  bool tls = false;
  std::string_view peer;  // "127.0.0.1:4242"; over a Unix socket "unix"
  // This side of a connection over the loopback, as `peer`; elsewhere empty.
  std::string_view local;
  bool over_unix_socket() const { return peer == "unix"; }
  boost::container::small_vector<std::pair<std::string_view, std::string_view>, 10> headers;

  std::string_view request_id;  // X-Request-Id, which the answer repeats; empty: none that IsRequestId

  // The first header of that name; nullopt if there is none.
  std::optional<std::string_view> Find(std::string_view name) const;
  // For the transport: the value of an X-Request-Id header. The first that can be taken counts.
  void TakeRequestId(std::string_view value);
};

// What is taken as a request's identifier: 1 to 128 bytes of printable ASCII, without spaces.
bool IsRequestId(std::string_view text);

// A whole request. `head`'s views live as long as this object, which is move-only and may be moved to another thread.
struct HttpRequest {
  RequestHead head;
  base::BufferSlice body;
  int64_t received_ns = 0;            // base::Clock::NowNs when its first byte was read
  std::shared_ptr<const void> store;  // owns what head's views point at
  uint32_t choice = 0;                // BodyPlan's

  HttpRequest() = default;
  HttpRequest(HttpRequest&&) = default;
  HttpRequest& operator=(HttpRequest&&) = default;
};

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// Header fields behind a body (RFC 9110, 6.5): where gRPC has its status. HTTP/1.1 leaves them out.
using Trailers = HeaderList;

struct HttpResponse {
  int status = 200;
  std::string_view content_type;                              // a literal; empty: none
  std::vector<std::pair<std::string, std::string>> headers;   // Content-Length, Date, Connection are the transport's
  boost::container::small_vector<base::BufferSlice, 2> body;  // written as they are, one gathering write
  Trailers trailers;                                          // behind `body`, of a response that is sent whole
  std::optional<uint64_t> length = {};  // of all pieces, where a response that is sent in pieces knows it
  bool close = false;                   // close the connection (HTTP/1.1) behind it

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
  void Send(HttpResponse&& response);

  // A response in pieces (chunked, or HTTP/2 DATA): Start, Write..., End. `response.body` is the first piece.
  void Start(HttpResponse&& response);
  // False: the peer is gone, or more than the write high-water mark waits; then OnWritable tells when to go on.
  bool Write(base::BufferSlice piece);
  void End(Trailers trailers = {});
  void OnWritable(base::Task task);

  // Stop, or go on, taking a body that arrives as it is used (RequestSink): while stopped the peer's window stays shut.
  void PauseBody();
  void ResumeBody();

  // `task` runs (on the loop) if the peer goes away before the response was sent: its queued work can be cancelled.
  void OnPeerGone(base::Task task);

  // Says which exchange this is, to take it away from its handler (a deadline). Copyable, loop-bound.
  class Key {
   public:
    Key() = default;
    // The exchange's one Reply from now on: the earlier one finds nothing, and the task given to its OnPeerGone has
    // been posted. Empty if the exchange has been answered, or its peer is gone.
    Reply Claim() const;

   private:
    friend class Reply;
    Target* target_ = nullptr;
    uint32_t slot_ = 0;
    uint64_t generation_ = 0;
  };
  Key key() const;

 private:
  Loop* loop_ = nullptr;
  Target* target_ = nullptr;
  uint32_t slot_ = 0;
  uint64_t generation_ = 0;
};

// A request that is acted on while its body arrives, which may be as long as the peer likes (gRPC). OnHead makes it,
// the transport owns it and destroys it when the exchange is over for the peer: answered, reset, connection closed;
// never inside a call to it or to its Reply, but perhaps before a task given to OnPeerGone has run. Loop-bound.
//
//   Begin                  first: where the bytes may be put, which charges them
//   OnBody... OnBodyEnd?   in the middle of a read: keep the bytes, and answer nothing yet
//   Open                   once, behind the read that brought the head, and perhaps some of the body
//   Proceed                behind Open, and behind each later read in which OnBody or OnBodyEnd was called
//
// HTTP/1.1 has the whole body read first, and then calls Begin, OnBody, OnBodyEnd, Open, Proceed in a row.
class RequestSink {
 public:
  virtual ~RequestSink() = default;
  virtual void Begin(BodyPool& bodies) = 0;
  // Where the next bytes of the body may be read to, so that OnBody finds them where they belong; empty: nowhere.
  // Valid until OnBody or the next call.
  virtual std::span<std::byte> Space() { return {}; }
  // Valid during the call only.
  virtual void OnBody(std::span<const std::byte> bytes) = 0;
  virtual void OnBodyEnd() = 0;
  // `request` has no body. Body limits are the sink's to enforce.
  virtual void Open(HttpRequest request, Reply reply) = 0;
  virtual void Proceed() = 0;
  // Whether the peer owes the rest of something: the time limit for bodies without progress counts then.
  virtual bool AwaitsMore() const = 0;
};

// How a protocol writes what the transport answers in its place: a body that is too large, one that does not arrive, a
// connection too many. `text` is plain ASCII. Content-Length, Date and Connection are added behind it.
using RefusalForm = HttpResponse (*)(int status, std::string_view text);

// What the handler wants done with the body that follows a head.
struct BodyPlan {
  std::optional<HttpResponse> refuse;  // answer at once; the body is drained within limits or the connection closed
  size_t align_at = 0;                 // base::Buffer::Allocate's; where the tensor bytes start
  uint64_t bytes_max = 0;              // 0: the listener's limit
  base::Buffer memory = {};            // of the Content-Length: where the body goes; none: the transport's own
  std::unique_ptr<RequestSink> sink = nullptr;  // takes the request in OnRequest's place
  RefusalForm refusal_form = nullptr;           // of what the transport answers to this request; null: {"error": text}
  // What a handler of handlers has chosen by the head, for its OnRequest: what the choice depends on may change while
  // the body arrives. 0: nothing.
  uint32_t choice = 0;
  // Headers that the answer has besides its own, whoever gives it: the handler or the transport. Null: none.
  std::shared_ptr<const HeaderList> answer_headers = nullptr;
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
  // Of the transport's refusals of requests that OnHead never sees; see BodyPlan::refusal_form.
  virtual RefusalForm RefusalFormOf(const RequestHead& head) const {
    static_cast<void>(head);
    return nullptr;
  }
  // The server is draining: exchanges that go on for as long as the peer likes should come to their end.
  virtual void OnDrain() {}
};

using HandlerFactory = std::move_only_function<std::unique_ptr<HttpHandler>(Loop&)>;

}  // namespace inferd::net
