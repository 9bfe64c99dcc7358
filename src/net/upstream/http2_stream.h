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

// The connection of streams, as they see it.
class Http2StreamOwner {
 public:
  virtual nghttp2_session* session() = 0;
  // Something is to be sent; not inside this call.
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
  // It never began: the receiver is not told.
  void Detach() { Part(*std::exchange(receiver_, nullptr)); }

  // --- What nghttp2 says, in the middle of a read or a write.
  void BeginFields();
  // False: they are too many.
  bool TakeField(std::string_view name, std::string_view value);
  void EndFields(bool ends);
  void TakeData(std::span<const std::byte> bytes);
  void End();
  // What is to be sent next of the body.
  ssize_t ReadBody(uint8_t* space, size_t bytes_max, uint32_t& flags);
  // It is over for nghttp2; `why` empty: it has ended as it should.
  void Close(Failure::Kind kind, std::string why);

  // Http2Call.
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
  Http2Receiver* receiver_;  // null: it wants nothing any more
  int32_t id_ = 0;
  // Of the response.
  std::vector<std::pair<std::string, std::string>> fields_;  // of the block that comes
  size_t field_bytes_ = 0;
  bool has_head_ = false;
  bool has_trailers_ = false;
  bool paused_ = false;
  size_t unread_ = 0;  // bytes that the window is still to be opened by
  // Of the request's body.
  std::deque<base::BufferSlice> body_;
  size_t offset_ = 0;   // sent of the first
  size_t waiting_ = 0;  // bytes
  bool tell_drained_ = false;
  bool ended_ = false;
  bool all_sent_ = false;
};

}  // namespace inferd::net::upstream
