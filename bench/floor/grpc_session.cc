#include "bench/floor/grpc_session.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <utility>

namespace inferd::bench {

namespace {

constexpr size_t kPrefixBytes = 5;
constexpr size_t kFrameHeadBytes = 9;
constexpr size_t kCopyBytes = 2048;  // per copy; glibc may copy larger pieces slowly (see net/body/body.cc)
constexpr size_t kStoreBytes = 64 * 1024;
constexpr size_t kOutputBytes = 256 * 1024;
constexpr size_t kPiecesMax = 64;
constexpr size_t kAnswerBytesMax = 64 << 20;
constexpr int32_t kStreamWindowBytes = 1 << 20;
constexpr int32_t kConnectionWindowBytes = 4 << 20;

nghttp2_nv Field(std::string_view name, std::string_view value) {
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

size_t MessageBytes(std::string_view prefix) {
  size_t bytes = 0;
  for (const char c : prefix.substr(1, kPrefixBytes - 1)) bytes = bytes << 8 | static_cast<unsigned char>(c);
  return bytes;
}

}  // namespace

GrpcSession::GrpcSession() {
  nghttp2_session_callbacks* callbacks = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
  SetCallbacks(callbacks);
  nghttp2_session* session = nullptr;
  const int made = nghttp2_session_server_new(&session, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  if (made != 0) throw std::bad_alloc();
  session_.reset(session);
  const nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindowBytes};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &window, 1);
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
  store_.reserve(kStoreBytes);
}

void GrpcSession::SetCallbacks(nghttp2_session_callbacks* callbacks) {
  nghttp2_session_callbacks_set_send_data_callback(callbacks, &SendAnswer);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks,
                                                          [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
                                                            if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
                                                              Of(user).streams_[frame->hd.stream_id] = {};
                                                            return 0;
                                                          });
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                    const uint8_t* value, size_t value_size, uint8_t, void* user) {
        if (std::string_view(reinterpret_cast<const char*>(name), name_size) != ":path") return 0;
        Stream* stream = Of(user).Find(frame->hd.stream_id);
        if (stream != nullptr) Of(user).OnPath(*stream, {reinterpret_cast<const char*>(value), value_size});
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* user) {
        Of(user).OnData(id, {reinterpret_cast<const char*>(data), size});
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
        const bool carries = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
        if (carries && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) Of(user).OnEnd(frame->hd.stream_id);
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                         [](nghttp2_session*, int32_t id, uint32_t, void* user) {
                                                           Of(user).streams_.erase(id);
                                                           return 0;
                                                         });
}

GrpcSession::Stream* GrpcSession::Find(int32_t id) {
  const auto it = streams_.find(id);
  return it == streams_.end() ? nullptr : &it->second;
}

void GrpcSession::OnPath(Stream& stream, std::string_view path) {
  constexpr std::string_view kBytes = "?bytes=";
  stream.unary = !path.starts_with("/floor/Stream");
  const size_t at = path.find(kBytes);
  if (at == std::string_view::npos) return;
  const std::string_view number = path.substr(at + kBytes.size());
  std::from_chars(number.data(), number.data() + number.size(), stream.answer_bytes);
  stream.answer_bytes = std::min(stream.answer_bytes, kAnswerBytesMax);
}

void GrpcSession::OnData(int32_t id, std::string_view data) {
  Stream* stream = Find(id);
  if (stream == nullptr) return;
  std::string& request = stream->request;
  while (!data.empty()) {
    const bool prefixed = request.size() >= kPrefixBytes;
    const size_t wanted = kPrefixBytes + (prefixed ? MessageBytes(request) : 0) - request.size();
    const std::string_view taken = data.substr(0, std::min(wanted, kCopyBytes));
    request += taken;
    data.remove_prefix(taken.size());
    if (!prefixed && request.size() == kPrefixBytes) request.reserve(kPrefixBytes + MessageBytes(request));
    if (request.size() < kPrefixBytes || request.size() < kPrefixBytes + MessageBytes(request)) continue;
    request.clear();
    stream->answers_left += kPrefixBytes + stream->answer_bytes;
    if (!stream->unary) Respond(id, *stream);
  }
}

void GrpcSession::OnEnd(int32_t id) {
  Stream* stream = Find(id);
  if (stream == nullptr) return;
  stream->ended = true;
  Respond(id, *stream);
}

// Begins the response, or continues it.
void GrpcSession::Respond(int32_t id, Stream& stream) {
  if (std::exchange(stream.responding, true)) {
    nghttp2_session_resume_data(session_.get(), id);
    return;
  }
  static const nghttp2_nv kHead[] = {Field(":status", "200"), Field("content-type", "application/grpc")};
  const nghttp2_data_provider body{.source = {.ptr = this}, .read_callback = &ReadAnswer};
  nghttp2_submit_response(session_.get(), id, kHead, std::size(kHead), &body);
}

ssize_t GrpcSession::ReadAnswer(nghttp2_session* session, int32_t id, uint8_t*, size_t bytes_max, uint32_t* flags,
                                nghttp2_data_source* source, void*) {
  static const nghttp2_nv kTrailers[] = {Field("grpc-status", "0")};
  const Stream* stream = Of(source->ptr).Find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (stream->answers_left == 0 && !stream->ended) return NGHTTP2_ERR_DEFERRED;
  const size_t bytes = std::min(bytes_max, stream->answers_left);
  *flags = NGHTTP2_DATA_FLAG_NO_COPY;
  if (stream->ended && bytes == stream->answers_left) {
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    nghttp2_submit_trailer(session, id, kTrailers, std::size(kTrailers));
  }
  return static_cast<ssize_t>(bytes);
}

int GrpcSession::SendAnswer(nghttp2_session*, nghttp2_frame* frame, const uint8_t* head, size_t bytes,
                            nghttp2_data_source*, void* user) {
  GrpcSession& self = Of(user);
  Stream* stream = self.Find(frame->hd.stream_id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (self.output_.size() >= kPiecesMax || self.store_.size() + kFrameHeadBytes + bytes > kStoreBytes) {
    if (!self.output_.empty()) return NGHTTP2_ERR_WOULDBLOCK;
  }
  self.Copy(head, kFrameHeadBytes);
  const std::string& answer = self.Answer(stream->answer_bytes);
  stream->answers_left -= bytes;
  while (bytes > 0) {
    const size_t count = std::min(bytes, answer.size() - stream->answer_at);
    self.Refer(answer, stream->answer_at, count);
    stream->answer_at = (stream->answer_at + count) % answer.size();
    bytes -= count;
  }
  return 0;
}

// Copies small pieces, so that they are sent as one. Does not copy large ones.
void GrpcSession::Refer(const std::string& text, size_t at, size_t bytes) {
  constexpr size_t kCopiedBytesMax = 1024;
  const auto* data = reinterpret_cast<const uint8_t*>(text.data()) + at;
  if (bytes <= kCopiedBytesMax) return Copy(data, bytes);
  output_.push_back({const_cast<uint8_t*>(data), bytes});
  output_bytes_ += bytes;
}

void GrpcSession::Copy(const uint8_t* data, size_t bytes) {
  char* const end = store_.data() + store_.size();
  store_.append(reinterpret_cast<const char*>(data), bytes);
  output_bytes_ += bytes;
  if (!output_.empty() && static_cast<char*>(output_.back().iov_base) + output_.back().iov_len == end) {
    output_.back().iov_len += bytes;
  } else {
    output_.push_back({end, bytes});
  }
}

const std::string& GrpcSession::Answer(size_t bytes) {
  std::string& answer = answers_[bytes];
  if (!answer.empty()) return answer;
  answer.push_back('\0');
  for (int shift = 24; shift >= 0; shift -= 8) answer.push_back(static_cast<char>(bytes >> shift & 0xff));
  answer.append(bytes, 'x');
  return answer;
}

bool GrpcSession::Read(const uint8_t* data, size_t bytes) {
  return nghttp2_session_mem_recv(session_.get(), data, bytes) >= 0;
}

const std::vector<iovec>& GrpcSession::Output() {
  if (!output_.empty()) return output_;
  store_.clear();
  while (output_bytes_ < kOutputBytes && store_.size() + (kStoreBytes / 2) <= kStoreBytes) {
    const uint8_t* data = nullptr;
    const ssize_t bytes = nghttp2_session_mem_send(session_.get(), &data);
    if (bytes <= 0) break;
    Copy(data, static_cast<size_t>(bytes));
  }
  return output_;
}

void GrpcSession::Written(size_t bytes) {
  output_bytes_ -= bytes;
  size_t done = 0;
  while (done < output_.size() && bytes >= output_[done].iov_len) bytes -= output_[done++].iov_len;
  output_.erase(output_.begin(), output_.begin() + static_cast<ptrdiff_t>(done));
  if (bytes == 0) return;
  output_.front().iov_base = static_cast<char*>(output_.front().iov_base) + bytes;
  output_.front().iov_len -= bytes;
}

}  // namespace inferd::bench
