#include "net/upstream/http2_stream.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "net/http/connection_fields.h"

namespace inferd::net::upstream {

namespace {

constexpr int kStatusMin = 100;
constexpr int kInterimMax = 199;
constexpr int kStatusMax = 599;

}  // namespace

void Http2Stream::BeginFields() {
  fields_.clear();
  field_bytes_ = 0;
}

bool Http2Stream::TakeField(std::string_view name, std::string_view value) {
  field_bytes_ += name.size() + value.size();
  if (field_bytes_ > kFieldBytesMax) return false;
  fields_.emplace_back(name, value);
  return true;
}

std::vector<FieldView> Http2Stream::Fields() const {
  std::vector<FieldView> fields;
  for (const auto& [name, value] : fields_) {
    if (!name.starts_with(':') && !IsOfConnection(name)) fields.emplace_back(name, value);
  }
  return fields;
}

void Http2Stream::EndFields(bool ends) {
  if (has_head_) {
    has_trailers_ = true;
    return;
  }
  int status = 0;
  if (!fields_.empty() && fields_.front().first == ":status") {
    const std::string& text = fields_.front().second;
    std::from_chars(text.data(), text.data() + text.size(), status);
  }
  // nghttp2 accepts any three digits, and a body after them.
  if (status < kStatusMin || status > kStatusMax) {
    Reset(NGHTTP2_PROTOCOL_ERROR);
    return Close(Failure::Kind::kMalformed, "a response without a status of HTTP");
  }
  if (status <= kInterimMax) return;
  has_head_ = true;
  if (receiver_ != nullptr) receiver_->OnHead(status, Fields(), ends);
}

void Http2Stream::TakeData(std::span<const std::byte> bytes) {
  unread_ += bytes.size();
  if (receiver_ != nullptr) {
    receiver_->OnBody(
        base::BufferSlice(base::Buffer::CopyOf({reinterpret_cast<const char*>(bytes.data()), bytes.size()})));
  }
  if (!paused_) Resume();
}

void Http2Stream::End() {
  const std::vector<FieldView> trailers = has_trailers_ ? Fields() : std::vector<FieldView>();
  LeaveUnread();
  // The server does not wait for the rest of the request.
  if (!all_sent_) Reset(NGHTTP2_NO_ERROR);
  if (Http2Receiver* const receiver = std::exchange(receiver_, nullptr)) {
    Part(*receiver);
    receiver->OnEnd(trailers);
  }
}

// Bytes that its receiver has not taken must not block the connection's other streams.
void Http2Stream::LeaveUnread() {
  if (unread_ > 0) nghttp2_session_consume_connection(owner_.session(), std::exchange(unread_, 0));
}

void Http2Stream::Close(Failure::Kind kind, std::string why) {
  LeaveUnread();
  Http2Receiver* const receiver = std::exchange(receiver_, nullptr);
  if (receiver == nullptr) return;
  Part(*receiver);
  receiver->OnFailure({kind, std::move(why)});
}

bool Http2Stream::Write(base::BufferSlice piece) {
  if (!piece.empty()) {
    waiting_ += piece.size();
    body_.push_back(std::move(piece));
    Go();
  }
  tell_drained_ |= waiting_ > Http2Receiver::kWaitingMax;
  return !tell_drained_;
}

void Http2Stream::EndBody() {
  ended_ = true;
  Go();
}

void Http2Stream::Go() {
  if (id_ > 0) nghttp2_session_resume_data(owner_.session(), id_);
  owner_.SendSoon();
}

ssize_t Http2Stream::ReadBody(uint8_t* space, size_t bytes_max, uint32_t& flags) {
  size_t read = 0;
  while (read < bytes_max && !body_.empty()) {
    const base::BufferSlice& piece = body_.front();
    const size_t some = std::min(bytes_max - read, piece.size() - offset_);
    std::memcpy(space + read, piece.view().data() + offset_, some);
    read += some;
    offset_ += some;
    if (offset_ < piece.size()) continue;
    body_.pop_front();
    offset_ = 0;
  }
  waiting_ -= read;
  if (body_.empty() && ended_) {
    flags |= NGHTTP2_DATA_FLAG_EOF;
    all_sent_ = true;
  } else if (read == 0) {
    return NGHTTP2_ERR_DEFERRED;
  }
  if (tell_drained_ && waiting_ <= Http2Receiver::kWaitingMax) {
    tell_drained_ = false;
    if (receiver_ != nullptr) receiver_->OnDrained();
  }
  return static_cast<ssize_t>(read);
}

void Http2Stream::Resume() {
  paused_ = false;
  if (unread_ == 0) return;
  nghttp2_session_consume(owner_.session(), id_, std::exchange(unread_, 0));
  owner_.SendSoon();
}

void Http2Stream::Reset(uint32_t code) {
  body_.clear();
  waiting_ = 0;
  all_sent_ = true;
  nghttp2_submit_rst_stream(owner_.session(), NGHTTP2_FLAG_NONE, id_, code);
  owner_.SendSoon();
}

void Http2Stream::GiveUp() {
  receiver_ = nullptr;
  paused_ = false;
  LeaveUnread();
  Reset(NGHTTP2_CANCEL);
}

}  // namespace inferd::net::upstream
