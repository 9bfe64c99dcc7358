#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "net/grpc/call_headers.h"
#include "net/grpc/call_metrics.h"
#include "net/grpc/handler.h"
#include "net/grpc/message_frame.h"
#include "net/grpc/responder.h"
#include "net/http/http.h"

namespace inferd::net::grpc {

class CallSink;

// The outgoing side of a call: its messages and its end. Shared by the call's Responder, its incoming side and work on
// the pool, but used only on its loop. It outlives its CallSink, which announces its end with Disconnect().
//
//   (made) --Open--> answering --Write...--> started --Finish, Answer, Abort--> finished
//                        '------Finish, Answer, Abort, Disconnect---------------^
//
// While a message is compressed on the pool, later messages wait in order.
class Responder::State final : public std::enable_shared_from_this<Responder::State> {
 public:
  // `coding` is used for responses that are worth compressing.
  State(const Environment& environment, Wire wire, ContentCoding coding, CallMetrics::OfMethod& metrics);

  // --- For the incoming side.
  void Open(Reply reply, int64_t received_ns, CallSink& sink);
  CallSink* sink() { return sink_; }  // nullptr after its end
  Reply& reply() { return reply_; }
  bool finished() const { return finished_; }
  // Ends the call in place of its handler, which sees a cancellation.
  void Abort(const base::Status& status);
  // Ends the link to the incoming side: the exchange is over.
  void Disconnect();

  // --- For the Responder.
  Loop& loop() const { return *loop_; }
  void AddInitialMetadata(std::string_view name, std::string_view value);
  void AddTrailingMetadata(std::string_view name, std::string_view value);
  bool Write(Message&& message);
  void OnWritable(base::Task task);
  void Answer(Message&& message);
  void Finish(const base::Status& status, std::string_view details);

 private:
  struct End {
    base::Status status;
    std::string details;
  };

  bool ended() const { return finished_ || end_.has_value(); }
  bool web() const { return wire_ != Wire::kGrpc; }
  // Converts pieces to the form that the body has on the wire.
  void PutOnWire(boost::container::small_vector_base<base::BufferSlice>& pieces) const;
  bool WorthCompressing(uint64_t bytes) const;
  // Returns the message as it is sent: compressed, or unchanged if compression does not help.
  static std::pair<Message, FrameFlag> Compressed(ContentCoding coding, int level, Message message);
  void CompressElsewhere(Message&& message);
  void OnCompressed(Message&& message, FrameFlag flag);
  void SendWaiting();
  bool Send(Message&& message, FrameFlag flag);
  // Sends the message and status OK at once.
  void SendWhole(Message&& message, FrameFlag flag);
  void SendEnd(const base::Status& status, std::string_view details);
  HttpResponse MakeHead();
  Trailers TakeTrailers(const base::Status& status, std::string_view details);
  void BecomeFinished(base::StatusCode code);

  const Environment& environment_;
  const Wire wire_;
  const ContentCoding coding_;
  CallMetrics::OfMethod& metrics_;
  CallSink* sink_ = nullptr;
  Loop* loop_ = nullptr;
  Reply reply_;
  int64_t received_ns_ = 0;
  bool started_ = false;  // the response's head has been sent
  bool finished_ = false;
  bool compressing_ = false;
  bool writable_at_once_ = true;  // the result of the last Write
  Trailers initial_metadata_;
  Trailers trailing_metadata_;
  std::list<Message> waiting_;  // messages after the one that is compressed
  std::optional<End> end_;      // the end, after those messages
  base::Task writable_;         // runs once they are sent
};

}  // namespace inferd::net::grpc
