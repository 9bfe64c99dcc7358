#include "ctl/bench/load/grpc_load.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "ctl/bench/load/message_counter.h"

namespace inferd::ctl {

namespace {

constexpr size_t kOutputBytes = 256 * 1024;  // bytes generated at a time
constexpr int32_t kWindowBytes = 64 << 20;   // flow-control window granted to the server

// A request and the state of its response.
struct Stream {
  std::deque<size_t> calls;  // calls without a response: one, or several on a long stream
  bool half_close = false;   // half-close after sending
  size_t left = 0;           // bytes to send, of the repeated framed message
  size_t at = 0;             // position in the framed message
  MessageCounter messages;
  size_t messages_read = 0;
  int http_status = 0;
  int grpc_status = -1;  // -1 if not received yet
  std::string grpc_message;
};

struct DeleteSession {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};

// The state that all connections of a load share.
struct Target {
  std::string authority;
  GrpcCall call;
  std::string framed;  // the message with its length prefix
};

class GrpcLoadProtocol final : public LoadProtocol {
 public:
  explicit GrpcLoadProtocol(std::shared_ptr<const Target> target);

  void Begin(size_t call) override;
  std::string_view Output() override;
  void Sent(size_t bytes) override { sent_ += bytes; }
  State Read(std::string_view data, std::vector<Answer>& answers) override;
  std::string_view error() const override { return error_; }

 private:
  static GrpcLoadProtocol& Of(void* user) { return *static_cast<GrpcLoadProtocol*>(user); }
  static void SetCallbacks(nghttp2_session_callbacks* callbacks);
  static ssize_t ReadRequest(nghttp2_session*, int32_t, uint8_t*, size_t bytes_max, uint32_t* flags,
                             nghttp2_data_source* source, void*);
  static int SendRequest(nghttp2_session*, nghttp2_frame*, const uint8_t* head, size_t bytes,
                         nghttp2_data_source* source, void* user);

  Stream* Find(int32_t id);
  void Submit(size_t call);
  void OnFrame(const nghttp2_frame& frame);
  void OnHeader(Stream& stream, std::string_view name, std::string_view value);
  void OnData(Stream& stream, std::string_view data);
  void OnEnd(int32_t id, uint32_t reset);
  std::string EndError(const Stream& stream, uint32_t reset) const;
  std::string SizeError(size_t bytes) const;

  const std::shared_ptr<const Target> target_;
  std::unique_ptr<nghttp2_session, DeleteSession> session_;
  std::map<int32_t, Stream> streams_;
  int32_t long_stream_ = 0;
  std::vector<Answer>* answers_ = nullptr;  // set during Read
  bool greeted_ = false;                    // data was received
  State state_ = State::kOpen;
  std::string error_;
  std::string output_;
  size_t sent_ = 0;  // bytes of output_ that were sent
};

GrpcLoadProtocol::GrpcLoadProtocol(std::shared_ptr<const Target> target) : target_(std::move(target)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
  SetCallbacks(callbacks);
  nghttp2_session* session = nullptr;
  const int made = nghttp2_session_client_new(&session, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  if (made != 0) throw std::bad_alloc();
  session_.reset(session);
  const nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindowBytes};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &window, 1);
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kWindowBytes);
}

void GrpcLoadProtocol::SetCallbacks(nghttp2_session_callbacks* callbacks) {
  nghttp2_session_callbacks_set_send_data_callback(callbacks, &SendRequest);
  // Uses the largest frames that the server accepts, as gRPC's own clients do.
  nghttp2_session_callbacks_set_data_source_read_length_callback(
      callbacks,
      [](nghttp2_session*, uint8_t, int32_t, int32_t connection_window, int32_t stream_window, uint32_t frame_bytes_max,
         void*) -> ssize_t {
        return std::min({ssize_t{connection_window}, ssize_t{stream_window}, static_cast<ssize_t>(frame_bytes_max)});
      });
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                    const uint8_t* value, size_t value_size, uint8_t, void* user) {
        if (Stream* stream = Of(user).Find(frame->hd.stream_id)) {
          Of(user).OnHeader(*stream, {reinterpret_cast<const char*>(name), name_size},
                            {reinterpret_cast<const char*>(value), value_size});
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* user) {
        if (Stream* stream = Of(user).Find(id)) Of(user).OnData(*stream, {reinterpret_cast<const char*>(data), size});
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                         [](nghttp2_session*, int32_t id, uint32_t reset, void* user) {
                                                           Of(user).OnEnd(id, reset);
                                                           return 0;
                                                         });
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                       [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
                                                         Of(user).OnFrame(*frame);
                                                         return 0;
                                                       });
}

void GrpcLoadProtocol::Begin(size_t call) {
  if (!target_->call.stream || long_stream_ == 0) return Submit(call);
  Stream* stream = Find(long_stream_);
  if (stream == nullptr) return;  // it has ended; Read reports that
  stream->calls.push_back(call);
  stream->left += target_->framed.size();
  nghttp2_session_resume_data(session_.get(), long_stream_);
}

void GrpcLoadProtocol::Submit(size_t call) {
  std::vector<nghttp2_nv> fields;
  // nghttp2's parameters are not const, but it only copies from them.
  const auto add = [&fields](std::string_view name, std::string_view value) {
    fields.push_back({reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
                      reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
                      NGHTTP2_NV_FLAG_NONE});
  };
  add(":method", "POST");
  add(":scheme", "http");
  add(":path", target_->call.path);
  add(":authority", target_->authority);
  add("te", "trailers");
  add("content-type", "application/grpc");
  add("user-agent", "inferd-load");
  for (const auto& [name, value] : target_->call.metadata) add(name, value);
  const nghttp2_data_provider body{.source = {.ptr = this}, .read_callback = &ReadRequest};
  const int32_t id = nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(), &body, nullptr);
  if (id < 0) {
    state_ = State::kBroken;
    error_ = nghttp2_strerror(id);
    return;
  }
  Stream& stream = streams_[id];
  stream.calls.push_back(call);
  stream.left = target_->framed.size();
  stream.half_close = !target_->call.stream;
  if (target_->call.stream) long_stream_ = id;
}

Stream* GrpcLoadProtocol::Find(int32_t id) {
  const auto it = streams_.find(id);
  return it == streams_.end() ? nullptr : &it->second;
}

ssize_t GrpcLoadProtocol::ReadRequest(nghttp2_session*, int32_t id, uint8_t*, size_t bytes_max, uint32_t* flags,
                                      nghttp2_data_source* source, void*) {
  const Stream* stream = Of(source->ptr).Find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (stream->left == 0) return NGHTTP2_ERR_DEFERRED;
  const size_t bytes = std::min(bytes_max, stream->left);
  *flags = NGHTTP2_DATA_FLAG_NO_COPY;
  if (stream->half_close && bytes == stream->left) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(bytes);
}

int GrpcLoadProtocol::SendRequest(nghttp2_session*, nghttp2_frame* frame, const uint8_t* head, size_t bytes,
                                  nghttp2_data_source*, void* user) {
  constexpr size_t kHeadBytes = 9;
  GrpcLoadProtocol& self = Of(user);
  Stream* stream = self.Find(frame->hd.stream_id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  self.output_.append(reinterpret_cast<const char*>(head), kHeadBytes);
  const std::string& framed = self.target_->framed;
  stream->left -= bytes;
  while (bytes > 0) {
    const size_t count = std::min(bytes, framed.size() - stream->at);
    self.output_.append(framed, stream->at, count);
    stream->at = (stream->at + count) % framed.size();
    bytes -= count;
  }
  return 0;
}

std::string_view GrpcLoadProtocol::Output() {
  if (sent_ < output_.size()) return std::string_view(output_).substr(sent_);
  sent_ = 0;
  output_.clear();
  while (output_.size() < kOutputBytes) {
    const uint8_t* data = nullptr;
    const ssize_t bytes = nghttp2_session_mem_send(session_.get(), &data);
    if (bytes <= 0) break;  // Read reports the cause
    output_.append(reinterpret_cast<const char*>(data), static_cast<size_t>(bytes));
  }
  return output_;
}

LoadProtocol::State GrpcLoadProtocol::Read(std::string_view data, std::vector<Answer>& answers) {
  if (!std::exchange(greeted_, true) && data.starts_with("HTTP/")) {
    state_ = State::kBroken;
    error_ = "the server does not speak HTTP/2";
    return state_;
  }
  answers_ = &answers;
  const ssize_t used =
      nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const uint8_t*>(data.data()), data.size());
  answers_ = nullptr;
  if (used < 0) {
    state_ = State::kBroken;
    error_ = nghttp2_strerror(static_cast<int>(used));
  }
  return state_;
}

void GrpcLoadProtocol::OnFrame(const nghttp2_frame& frame) {
  if (frame.hd.type == NGHTTP2_GOAWAY && state_ == State::kOpen) {
    state_ = State::kDone;
    error_ = "the server went away with HTTP/2 error " + std::to_string(frame.goaway.error_code);
  }
  const bool ends = (frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA) &&
                    (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (!ends) return;
  const Stream* stream = Find(frame.hd.stream_id);
  if (stream == nullptr) return;
  // The server answered before the request was complete, so the rest is not needed.
  if (stream->left > 0 || !stream->half_close) {
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, frame.hd.stream_id, NGHTTP2_CANCEL);
  }
  OnEnd(frame.hd.stream_id, 0);
}

void GrpcLoadProtocol::OnHeader(Stream& stream, std::string_view name, std::string_view value) {
  const auto number = [value](int& to) { std::from_chars(value.data(), value.data() + value.size(), to); };
  if (name == ":status") number(stream.http_status);
  if (name == "grpc-status") number(stream.grpc_status);
  if (name == "grpc-message") stream.grpc_message = value;
}

void GrpcLoadProtocol::OnData(Stream& stream, std::string_view data) {
  while (stream.messages.Read(data)) {
    ++stream.messages_read;
    if (!target_->call.stream || stream.calls.empty()) continue;
    if (stream.messages_read % target_->call.answers != 0) continue;
    answers_->push_back({.call = stream.calls.front(), .error = SizeError(stream.messages.last_bytes())});
    stream.calls.pop_front();
  }
}

void GrpcLoadProtocol::OnEnd(int32_t id, uint32_t reset) {
  const auto it = streams_.find(id);
  if (it == streams_.end()) return;
  std::string error = EndError(it->second, reset);
  if (target_->call.stream) {
    state_ = State::kBroken;
    error_ = error.empty() ? "the stream ended" : std::move(error);
  } else {
    if (error.empty() && it->second.messages_read != 1) {
      error = "expected one message, got " + std::to_string(it->second.messages_read);
    }
    if (error.empty()) error = SizeError(it->second.messages.last_bytes());
    answers_->push_back({.call = it->second.calls.front(), .error = std::move(error)});
  }
  streams_.erase(it);
}

std::string GrpcLoadProtocol::EndError(const Stream& stream, uint32_t reset) const {
  if (stream.grpc_status > 0) return "gRPC " + std::to_string(stream.grpc_status) + ": " + stream.grpc_message;
  if (reset != 0) return "the stream was reset with HTTP/2 error " + std::to_string(reset);
  if (stream.http_status != 200) return "HTTP " + std::to_string(stream.http_status);
  return stream.grpc_status < 0 ? "no grpc-status" : "";
}

std::string GrpcLoadProtocol::SizeError(size_t bytes) const {
  const size_t expected = target_->call.answer_bytes;
  if (expected == 0 || bytes == expected) return "";
  return "expected a message of " + std::to_string(expected) + " bytes, got " + std::to_string(bytes);
}

}  // namespace

std::string GrpcFrame(std::string_view message) {
  std::string frame(1, '\0');  // the flag: not compressed
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(message.size() >> shift & 0xff);
  frame += message;
  return frame;
}

LoadProtocolFactory GrpcLoad(const net::Url& url, GrpcCall call) {
  std::string framed = GrpcFrame(call.message);
  const auto target = std::make_shared<const Target>(Target{url.Authority(), std::move(call), std::move(framed)});
  return [target] { return std::make_unique<GrpcLoadProtocol>(target); };
}

}  // namespace inferd::ctl
