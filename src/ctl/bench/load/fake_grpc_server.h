#pragma once

#include <nghttp2/nghttp2.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inferd::ctl {

// A test server for one HTTP/2 connection, in memory. It records the requests of each stream, and sends the test's
// answers.
class FakeGrpcServer final {
 public:
  struct Request {
    std::map<std::string, std::string> fields;
    std::string body;
    bool ended = false;
  };
  using Fields = std::vector<std::pair<std::string, std::string>>;

  FakeGrpcServer() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &OnFrame);
    nghttp2_session_server_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~FakeGrpcServer() { nghttp2_session_del(session_); }
  FakeGrpcServer(const FakeGrpcServer&) = delete;
  FakeGrpcServer& operator=(const FakeGrpcServer&) = delete;

  void Take(std::string_view bytes) {
    nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  std::string Give() {
    std::string bytes;
    const uint8_t* data = nullptr;
    while (const ssize_t count = nghttp2_session_mem_send(session_, &data)) {
      if (count < 0) break;
      bytes.append(reinterpret_cast<const char*>(data), static_cast<size_t>(count));
    }
    return bytes;
  }

  void Head(int32_t id, std::string_view status = "200") {
    const nghttp2_nv field = Field(":status", status);
    nghttp2_data_provider body{.source = {.ptr = this}, .read_callback = &ReadBody};
    nghttp2_submit_response(session_, id, &field, 1, &body);
  }
  void Message(int32_t id, const std::string& message) {
    bodies_[id] += std::string(4, '\0') + static_cast<char>(message.size()) + message;
    nghttp2_session_resume_data(session_, id);
  }
  void End(int32_t id, const Fields& trailers) {
    trailers_[id] = trailers;
    nghttp2_session_resume_data(session_, id);
  }
  void Reset(int32_t id) { nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL); }
  void GoAway() { nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR); }

  std::map<int32_t, Request> requests;

 private:
  static FakeGrpcServer& Of(void* user) { return *static_cast<FakeGrpcServer*>(user); }
  static nghttp2_nv Field(std::string_view name, std::string_view value) {
    return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
            reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
            NGHTTP2_NV_FLAG_NONE};
  }
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* user) {
    Of(user).requests[frame->hd.stream_id].fields[std::string(reinterpret_cast<const char*>(name), name_size)] =
        std::string(reinterpret_cast<const char*>(value), value_size);
    return 0;
  }
  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* user) {
    Of(user).requests[id].body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) Of(user).requests[frame->hd.stream_id].ended = true;
    return 0;
  }
  static ssize_t ReadBody(nghttp2_session* session, int32_t id, uint8_t* out, size_t bytes_max, uint32_t* flags,
                          nghttp2_data_source* source, void*) {
    FakeGrpcServer& self = Of(source->ptr);
    std::string& body = self.bodies_[id];
    const auto trailers = self.trailers_.find(id);
    const bool ends = trailers != self.trailers_.end();
    if (body.empty() && !ends) return NGHTTP2_ERR_DEFERRED;
    const size_t bytes = body.copy(reinterpret_cast<char*>(out), bytes_max);
    body.erase(0, bytes);
    if (!ends || !body.empty()) return static_cast<ssize_t>(bytes);
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (trailers->second.empty()) return static_cast<ssize_t>(bytes);
    *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    std::vector<nghttp2_nv> fields;
    for (const auto& [name, value] : trailers->second) fields.push_back(Field(name, value));
    nghttp2_submit_trailer(session, id, fields.data(), fields.size());
    return static_cast<ssize_t>(bytes);
  }

  nghttp2_session* session_ = nullptr;
  std::map<int32_t, std::string> bodies_;
  std::map<int32_t, Fields> trailers_;
};

}  // namespace inferd::ctl
