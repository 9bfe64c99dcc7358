#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "net/upstream/http2_exchange.h"

namespace inferd::net::upstream {

// The connection as its streams see it.
class Http2StreamOwner {
 public:
  virtual nghttp2_session* session() = 0;
  // Schedules output; does not send inside this call.
  virtual void SendSoon() = 0;

 protected:
  ~Http2StreamOwner() = default;
};

// One request on an HTTP/2 connection. Loop-bound.
class Http2Stream final : public Http2Call {
 public:
  Http2Stream(Http2StreamOwner& owner, Http2Receiver& receiver) : owner_(owner), receiver_(&receiver) {
    Join(*this, receiver);
  }

  void set_id(int32_t id) { id_ = id; }
  // Detaches the receiver of a request that never began, without telling it.
  void Detach() { Part(*std::exchange(receiver_, nullptr)); }

  // --- Called by nghttp2, in the middle of a read or a write.
  void BeginFields();
  // Returns false if there are too many fields.
  bool TakeField(std::string_view name, std::string_view value);
  void EndFields(bool ends);
  void TakeData(std::span<const std::byte> bytes);
  void End();
  // Returns the next bytes of the body to be sent.
  ssize_t ReadBody(uint8_t* space, size_t bytes_max, uint32_t& flags);
  // Called when the stream is over for nghttp2. If `why` is empty, it has ended properly.
  void Close(Failure::Kind kind, std::string why);

  // For Http2Call.
  bool Write(base::BufferSlice piece) override;
  void EndBody() override;
  void Pause() override { paused_ = true; }
  void Resume() override;
  void GiveUp() override;

 private:
  static constexpr size_t kFieldBytesMax = 64 << 10;

  std::vector<FieldView> Fields() const;
  void Reset(uint32_t code);
  void Go();
  void LeaveUnread();

  Http2StreamOwner& owner_;
  Http2Receiver* receiver_;  // null if the request was cancelled
  int32_t id_ = 0;
  // State of the response.
  std::vector<std::pair<std::string, std::string>> fields_;  // of the block that is arriving
  size_t field_bytes_ = 0;
  bool has_head_ = false;
  bool has_trailers_ = false;
  bool paused_ = false;
  size_t unread_ = 0;  // bytes for which the window is still to be opened
  // State of the request's body.
  std::deque<base::BufferSlice> body_;
  size_t offset_ = 0;   // bytes of the first piece that were sent
  size_t waiting_ = 0;  // bytes
  bool tell_drained_ = false;
  bool ended_ = false;
  bool all_sent_ = false;
};

}  // namespace inferd::net::upstream
