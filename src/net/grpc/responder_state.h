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

// What a call sends, and how it ends. Shared by the call's Responder, its incoming side and work on the pool; used on
// its loop alone. It outlives its CallSink, which says so by Disconnect.
//
//   (made) --Open--> answering --Write...--> started --Finish, Answer, Abort--> finished
//                        '------Finish, Answer, Abort, Disconnect---------------^
//
// While a message is compressed on the pool, what follows it waits in order.
class Responder::State final : public std::enable_shared_from_this<Responder::State> {
 public:
  // `coding`: of responses that are worth compressing.
  State(const Environment& environment, Wire wire, ContentCoding coding, CallMetrics::OfMethod& metrics);

  // --- The incoming side's.
  void Open(Reply reply, int64_t received_ns, CallSink& sink);
  CallSink* sink() { return sink_; }  // nullptr: it is gone
  Reply& reply() { return reply_; }
  bool finished() const { return finished_; }
  // Ends the call in place of its handler, which learns it as a cancellation.
  void Abort(const base::Status& status);
  // The exchange is over.
  void Disconnect();

  // --- The Responder's.
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
  // What stands in the body as it is written there.
  void PutOnWire(boost::container::small_vector_base<base::BufferSlice>& pieces) const;
  bool WorthCompressing(uint64_t bytes) const;
  // The message as it leaves: compressed, or as it is where that does not help.
  static std::pair<Message, FrameFlag> Compressed(ContentCoding coding, int level, Message message);
  void CompressElsewhere(Message&& message);
  void OnCompressed(Message&& message, FrameFlag flag);
  void SendWaiting();
  bool Send(Message&& message, FrameFlag flag);
  // Message and OK at once.
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
  bool writable_at_once_ = true;  // what the last Write came to
  Trailers initial_metadata_;
  Trailers trailing_metadata_;
  std::list<Message> waiting_;  // behind the message that is compressed
  std::optional<End> end_;      // behind those
  base::Task writable_;         // runs once they are sent
};

}  // namespace inferd::net::grpc
