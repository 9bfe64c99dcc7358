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

// HTTP as front-ends see it: the same for HTTP/1.1 and HTTP/2, with or without TLS.

namespace inferd::net {

class BodyPool;

enum class Method : uint8_t { kGet, kHead, kPost, kPut, kDelete, kPatch, kOptions, kOther };

// The head of a request, before its body. Names are compared without regard to case.
struct RequestHead {
  Method method = Method::kGet;
  std::string_view method_text;
  std::string_view target;  // as sent: "/v2/models/a%20b?x=1"; for the absolute form, without scheme and host
  // Percent-decoded path segments: {"v2", "models", "a b"}. A "%2F" stays within its segment. Views into `target`, or
  // into `decoded`.
  boost::container::small_vector<std::string_view, 6> segments;
  std::shared_ptr<const char[]> decoded;   // null if no segment had an escape
  std::string_view query;                  // after '?', undecoded
  std::optional<uint64_t> content_length;  // absent if chunked, HTTP/2 without one, or no body
  bool http2 = false;
  bool tls = false;
  std::string_view peer;  // "127.0.0.1:4242"; over a Unix socket "unix"
  // This side's address of a loopback connection, in the form of `peer`; otherwise empty.
  std::string_view local;
  bool over_unix_socket() const { return peer == "unix"; }
  boost::container::small_vector<std::pair<std::string_view, std::string_view>, 10> headers;

  std::string_view request_id;  // X-Request-Id, which the response repeats; empty unless IsRequestId

  // Returns the first header of that name, or nullopt if there is none.
  std::optional<std::string_view> Find(std::string_view name) const;
  // For the transport: takes the value of an X-Request-Id header. The first valid one counts.
  void TakeRequestId(std::string_view value);
};

// Returns true if `text` is a valid request identifier: 1 to 128 bytes of printable ASCII, without spaces.
bool IsRequestId(std::string_view text);

// A complete request. `head`'s views live as long as this object, which is move-only and may be moved to another
// thread.
struct HttpRequest {
  RequestHead head;
  base::BufferSlice body;
  int64_t received_ns = 0;            // base::Clock::NowNs when its first byte was read
  std::shared_ptr<const void> store;  // owns the memory of head's views
  uint32_t choice = 0;                // see BodyPlan::choice

  HttpRequest() = default;
  HttpRequest(HttpRequest&&) = default;
  HttpRequest& operator=(HttpRequest&&) = default;
};

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// Header fields after a body (RFC 9110, 6.5), where gRPC puts its status. HTTP/1.1 leaves them out.
using Trailers = HeaderList;

struct HttpResponse {
  int status = 200;
  std::string_view content_type;                              // a literal; empty if none
  std::vector<std::pair<std::string, std::string>> headers;   // the transport adds Content-Length, Date, Connection
  boost::container::small_vector<base::BufferSlice, 2> body;  // written without a copy, in one gathering write
  Trailers trailers;                                          // after `body`, if the response is sent whole
  std::optional<uint64_t> length = {};                        // total length of a streamed response, if known
  bool close = false;                                         // close the connection (HTTP/1.1) after the response

  static HttpResponse Text(int status, std::string_view content_type, std::string_view body);
};

// Answers one request. Move-only. It is a key (connection slot, generation, stream), not a pointer: calls after the
// peer has gone do nothing. All methods are loop-bound; from other threads, use loop().Post(). If it is destroyed
// unanswered, it sends 500.
class Reply {
 public:
  class Target;  // a connection or a stream; private to the transport

  Reply() = default;
  Reply(Loop& loop, Target* target, uint32_t slot, uint64_t generation)
      : loop_(&loop), target_(target), slot_(slot), generation_(generation) {}
  ~Reply();
  Reply(Reply&& other) noexcept;
  Reply& operator=(Reply&& other) noexcept;

  explicit operator bool() const { return target_ != nullptr; }
  Loop& loop() const { return *loop_; }

  // Sends a complete response and ends the reply.
  void Send(HttpResponse&& response);

  // Sends a streamed response (chunked, or HTTP/2 DATA): Start, Write..., End. `response.body` is the first piece.
  void Start(HttpResponse&& response);
  // Returns false if the peer is gone, or if more bytes wait than the write high-water mark. OnWritable() then tells
  // when to continue.
  bool Write(base::BufferSlice piece);
  void End(Trailers trailers = {});
  void OnWritable(base::Task task);

  // Pause or resume a body that is processed as it arrives (RequestSink). While paused, the peer's window stays closed.
  void PauseBody();
  void ResumeBody();

  // Runs `task` on the loop if the peer goes away before the response was sent, for example to cancel queued work.
  void OnPeerGone(base::Task task);

  // Identifies this exchange, to take it away from its handler (at a deadline). Copyable, loop-bound.
  class Key {
   public:
    Key() = default;
    // Returns the exchange's only Reply from now on. Calls on the earlier Reply do nothing, and the task given to its
    // OnPeerGone() has been posted. Empty if the exchange was answered, or if its peer is gone.
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

// Receives a request whose body is processed as it arrives and may be of any length (gRPC). OnHead() creates it. The
// transport owns it, and destroys it when the exchange is over for the peer: answered, reset, or connection closed. It
// is never destroyed inside a call to it or to its Reply, but possibly before a task given to OnPeerGone() has run.
// Loop-bound.
//
//   Begin                  first: where the bytes may be put, which charges them
//   OnBody... OnBodyEnd?   in the middle of a read: keep the bytes, and answer nothing yet
//   Open                   once, behind the read that brought the head, and perhaps some of the body
//   Proceed                behind Open, and behind each later read in which OnBody or OnBodyEnd was called
//
// HTTP/1.1 reads the whole body first, then calls Begin, OnBody, OnBodyEnd, Open, Proceed in a row.
class RequestSink {
 public:
  virtual ~RequestSink() = default;
  virtual void Begin(BodyPool& bodies) = 0;
  // Returns the space where the next bytes of the body may be read to, so that OnBody() need not copy them. Empty if
  // there is none. Valid until OnBody() or the next call.
  virtual std::span<std::byte> Space() { return {}; }
  // `bytes` are valid during the call only.
  virtual void OnBody(std::span<const std::byte> bytes) = 0;
  virtual void OnBodyEnd() = 0;
  // `request` has no body. The sink must enforce the limits of the body.
  virtual void Open(HttpRequest request, Reply reply) = 0;
  virtual void Proceed() = 0;
  // Returns true if the peer has not sent all of its message. Then the body's time limit without progress applies.
  virtual bool AwaitsMore() const = 0;
};

// Formats the responses that the transport gives in a protocol's place: body too large, body does not arrive, too many
// connections. `text` is plain ASCII. The transport adds Content-Length, Date and Connection.
using RefusalForm = HttpResponse (*)(int status, std::string_view text);

// A handler's decision on the body that follows a head.
struct BodyPlan {
  std::optional<HttpResponse> refuse;  // answer at once; the body is drained within limits or the connection closed
  size_t align_at = 0;                 // base::Buffer::Allocate's; where the tensor bytes start
  uint64_t bytes_max = 0;              // the listener's limit if 0
  base::Buffer memory = {};            // of the Content-Length's size: the body's memory; the transport's own if empty
  std::unique_ptr<RequestSink> sink = nullptr;  // takes the request instead of OnRequest
  RefusalForm refusal_form = nullptr;  // for the transport's responses to this request; {"error": text} if null
  // A choice that a composite handler has made by the head, passed on to its OnRequest(): the basis of the choice may
  // change while the body arrives. 0 if there is none.
  uint32_t choice = 0;
  // Headers added to the response, whether the handler or the transport gives it. Null if there are none.
  std::shared_ptr<const HeaderList> answer_headers = nullptr;
};

// Serves a listener's requests. One per loop and listener. Loop-bound; outlives the loop's connections.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Called once per request, before its body is read (and before "Expect: 100-continue" is answered).
  virtual BodyPlan OnHead(const RequestHead& head) = 0;
  // Handles a complete request. It may answer at once, or keep `reply` for later. For HEAD, send the body that GET
  // would have; the transport leaves it out.
  virtual void OnRequest(HttpRequest request, Reply reply) = 0;
  // Returns the form of the transport's refusals for requests that OnHead() never sees; see BodyPlan::refusal_form.
  virtual RefusalForm RefusalFormOf(const RequestHead& head) const {
    static_cast<void>(head);
    return nullptr;
  }
  // Called when the server drains: end exchanges that would last as long as the peer likes.
  virtual void OnDrain() {}
};

using HandlerFactory = std::move_only_function<std::unique_ptr<HttpHandler>(Loop&)>;

}  // namespace inferd::net
