#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/fake_session_host.h"

namespace inferd::net::http2 {

// For tests: an HTTP/2 client that is connected to a session in memory.
class FakePeer final {
 public:
  struct Answer {
    std::vector<int> statuses;  // including interim ones
    std::map<std::string, std::string> headers;
    std::string body;
    bool closed = false;
    uint32_t error_code = 0;

    int status() const { return statuses.empty() ? 0 : statuses.back(); }
  };
  using Fields = std::vector<std::pair<std::string, std::string>>;

  // `window` limits how much of a response it takes before Open(); 0 for no limit.
  explicit FakePeer(int32_t window = 0) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &FakePeer::OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &FakePeer::OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &FakePeer::OnClose);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &FakePeer::OnFrame);
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_no_auto_window_update(option, window > 0 ? 1 : 0);
    nghttp2_session_client_new2(&session_, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry entry = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
                                          static_cast<uint32_t>(window > 0 ? window : 65'535)};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &entry, 1);
  }
  ~FakePeer() { nghttp2_session_del(session_); }
  FakePeer(const FakePeer&) = delete;
  FakePeer& operator=(const FakePeer&) = delete;

  // Sends a request. If `end` is false, its body stays open (see More()).
  int32_t Request(std::string_view method, std::string_view path, const Fields& fields = {}, std::string body = {},
                  bool end = true) {
    Fields all = {
        {":method", std::string(method)}, {":scheme", "http"}, {":authority", "h:1"}, {":path", std::string(path)}};
    all.insert(all.end(), fields.begin(), fields.end());
    std::vector<nghttp2_nv> nv;
    for (auto& [name, value] : all) {
      nv.push_back({reinterpret_cast<uint8_t*>(name.data()), reinterpret_cast<uint8_t*>(value.data()), name.size(),
                    value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    const bool has_body = !body.empty() || !end;
    nghttp2_data_provider source{.source = {.ptr = this}, .read_callback = &FakePeer::ReadBody};
    const int32_t id =
        nghttp2_submit_request(session_, nullptr, nv.data(), nv.size(), has_body ? &source : nullptr, nullptr);
    bodies_[id] = {std::move(body), end};
    return id;
  }
  void More(int32_t id, std::string_view body, bool end) {
    bodies_[id].text += body;
    bodies_[id].end = end;
    nghttp2_session_resume_data(session_, id);
  }
  void Reset(int32_t id) { nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL); }
  void OpenWindow(int32_t id, int32_t bytes) {
    nghttp2_submit_window_update(session_, NGHTTP2_FLAG_NONE, id, bytes);
    nghttp2_submit_window_update(session_, NGHTTP2_FLAG_NONE, 0, bytes);
  }

  // Carries bytes both ways until neither side has any.
  void Exchange(Session& session, FakeSessionHost& host) {
    for (bool moved = true; moved;) {
      const std::string in = Frames();
      Feed(session, in);
      host.fake_loop.RunAll();
      const std::string out = TakeAll(session);
      moved = !in.empty() || !out.empty();
      Take(out);
    }
  }
  // Returns the client's pending output.
  std::string Frames() {
    std::string frames;
    const uint8_t* data = nullptr;
    for (ssize_t bytes = 0; (bytes = nghttp2_session_mem_send(session_, &data)) > 0;) {
      frames.append(reinterpret_cast<const char*>(data), static_cast<size_t>(bytes));
    }
    return frames;
  }
  void Take(std::string_view bytes) {
    nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }

  Answer& operator[](int32_t id) { return answers_[id]; }
  nghttp2_session* session() { return session_; }
  std::vector<std::pair<int32_t, uint32_t>> goaways;  // last stream, error

 private:
  struct Sending {
    std::string text;
    bool end = true;
    size_t sent = 0;
  };

  static ssize_t ReadBody(nghttp2_session*, int32_t id, uint8_t* out, size_t bytes_max, uint32_t* flags,
                          nghttp2_data_source* source, void*) {
    Sending& sending = static_cast<FakePeer*>(source->ptr)->bodies_[id];
    const size_t bytes = std::min(bytes_max, sending.text.size() - sending.sent);
    if (bytes == 0 && !sending.end) return NGHTTP2_ERR_DEFERRED;
    std::memcpy(out, sending.text.data() + sending.sent, bytes);
    sending.sent += bytes;
    if (sending.end && sending.sent == sending.text.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(bytes);
  }
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* user) {
    Answer& answer = static_cast<FakePeer*>(user)->answers_[frame->hd.stream_id];
    const std::string key(reinterpret_cast<const char*>(name), name_size);
    const std::string text(reinterpret_cast<const char*>(value), value_size);
    if (key == ":status") answer.statuses.push_back(std::atoi(text.c_str()));
    answer.headers[key] = text;
    return 0;
  }
  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* user) {
    static_cast<FakePeer*>(user)->answers_[id].body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int OnClose(nghttp2_session*, int32_t id, uint32_t error_code, void* user) {
    Answer& answer = static_cast<FakePeer*>(user)->answers_[id];
    answer.closed = true;
    answer.error_code = error_code;
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type != NGHTTP2_GOAWAY) return 0;
    static_cast<FakePeer*>(user)->goaways.emplace_back(frame->goaway.last_stream_id, frame->goaway.error_code);
    return 0;
  }

  nghttp2_session* session_ = nullptr;
  std::map<int32_t, Answer> answers_;
  std::map<int32_t, Sending> bodies_;
};

}  // namespace inferd::net::http2
