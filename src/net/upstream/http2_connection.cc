#include "net/upstream/http2_connection.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/memory_shortage.h"
#include "base/text/ascii_case.h"
#include "net/upstream/dial.h"

namespace inferd::net::upstream {

namespace {

constexpr int32_t kStreamWindow = 1 << 20;
constexpr int32_t kConnectionWindow = 16 << 20;
constexpr uint32_t kStreamsMax = 1'000;  // at a time, whatever the server says
// The limit on bytes taken from nghttp2 before the socket has taken them.
constexpr size_t kOutputBytes = 256 << 10;
// The bytes that one connection may read before the others of its loop get their turn.
constexpr size_t kReadPerTurn = 1 << 20;

nghttp2_nv Field(std::string_view name, std::string_view value) {
  return {.name = reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          .value = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

// No exception may pass through C code.
template <typename F>
int Guarded(void* user, F body) {
  try {
    return body(*static_cast<Http2Connection*>(user));
  } catch (...) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

}  // namespace

struct Http2Connection::Callbacks {
  static void Set(nghttp2_session_callbacks* to) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(
        to, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
          return Guarded(user, [&](Http2Connection& c) {
            if (Http2Stream* stream = c.Find(frame->hd.stream_id)) stream->BeginFields();
            return 0;
          });
        });
    nghttp2_session_callbacks_set_on_header_callback(to, [](nghttp2_session*, const nghttp2_frame* frame,
                                                            const uint8_t* name, size_t name_size, const uint8_t* value,
                                                            size_t value_size, uint8_t, void* user) {
      return Guarded(user, [&](Http2Connection& c) -> int {
        Http2Stream* const stream = c.Find(frame->hd.stream_id);
        const bool taken = stream == nullptr || stream->TakeField({reinterpret_cast<const char*>(name), name_size},
                                                                  {reinterpret_cast<const char*>(value), value_size});
        return taken ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
      });
    });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        to, [](nghttp2_session* session, uint8_t, int32_t id, const uint8_t* data, size_t size, void* user) {
          return Guarded(user, [&](Http2Connection& c) {
            if (Http2Stream* stream = c.Find(id)) {
              stream->TakeData({reinterpret_cast<const std::byte*>(data), size});
            } else {
              nghttp2_session_consume_connection(session, size);
            }
            return 0;
          });
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(to,
                                                         [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
                                                           return Guarded(user, [&](Http2Connection& c) {
                                                             c.OnFrame(*frame);
                                                             return 0;
                                                           });
                                                         });
    nghttp2_session_callbacks_set_on_stream_close_callback(to,
                                                           [](nghttp2_session*, int32_t id, uint32_t code, void* user) {
                                                             return Guarded(user, [&](Http2Connection& c) {
                                                               c.OnStreamClosed(id, code);
                                                               return 0;
                                                             });
                                                           });
  }

  static ssize_t ReadBody(nghttp2_session*, int32_t id, uint8_t* space, size_t bytes_max, uint32_t* flags,
                          nghttp2_data_source*, void* user) {
    Http2Stream* const stream = static_cast<Http2Connection*>(user)->Find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    return stream->ReadBody(space, bytes_max, *flags);
  }
};

Http2Connection::Http2Connection(Http2ConnectionOwner& owner, const Address& address)
    : owner_(owner), address_(address) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  nghttp2_session* session = nullptr;
  bool made = nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0;
  if (made) {
    Callbacks::Set(callbacks);
    nghttp2_option_set_no_auto_window_update(option, 1);
    made = nghttp2_session_client_new2(&session, callbacks, this, option) == 0;
  }
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_option_del(option);
  if (!made) throw std::bad_alloc();
  session_.reset(session);
  const std::array<nghttp2_settings_entry, 2> settings = {
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow}}};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

Http2Connection::~Http2Connection() {
  *alive_ = false;
  if (state_ != State::kClosed && fd_) owner_.loop().Unwatch(fd_.get(), *this);
  for (auto& [id, stream] : streams_) stream->Close(Failure::Kind::kBroken, "the gateway ends");
}

base::Status Http2Connection::Open() {
  INFERD_ASSIGN_OR_RETURN(Dialled dialled, Dial(address_));
  fd_ = std::move(dialled.socket);
  transport_.emplace(fd_.get());
  interest_ = EPOLLOUT;
  if (!owner_.loop().Watch(fd_.get(), interest_, *this)) {
    fd_.Close();
    return base::ResourceExhausted("cannot watch another socket: " + std::string(std::strerror(errno)));
  }
  return base::OkStatus();
}

bool Http2Connection::CanBegin() const {
  const bool open = state_ == State::kConnecting || state_ == State::kOpen;
  const uint32_t allowed = nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return open && streams_.size() < std::min(allowed, kStreamsMax) &&
         nghttp2_session_check_request_allowed(session_.get()) != 0;
}

base::Status Http2Connection::Begin(const Http2Request& request, Http2Receiver& receiver) {
  std::vector<std::string> names;
  names.reserve(request.fields.size());
  std::vector<nghttp2_nv> fields = {Field(":method", request.method), Field(":scheme", "http"),
                                    Field(":path", request.path), Field(":authority", request.authority)};
  for (const auto& [name, value] : request.fields) {
    std::string& lower = names.emplace_back(name);
    for (char& c : lower) c = base::LowerAscii(c);
    fields.push_back(Field(lower, value));
  }
  auto stream = std::make_unique<Http2Stream>(*this, receiver);
  const nghttp2_data_provider body = {.source = {.ptr = nullptr}, .read_callback = &Callbacks::ReadBody};
  const int32_t id = nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(), &body, nullptr);
  if (id < 0) {
    stream->Detach();
    return base::ResourceExhausted("no stream to " + address() + ": " + nghttp2_strerror(id));
  }
  stream->set_id(id);
  streams_.emplace(id, std::move(stream));
  SendSoon();
  return base::OkStatus();
}

Http2Stream* Http2Connection::Find(int32_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Http2Connection::SendSoon() {
  if (std::exchange(sends_soon_, true)) return;
  owner_.loop().AtEndOfTurn([this, alive = alive_] {
    if (!*alive) return;
    sends_soon_ = false;
    if (state_ == State::kOpen || state_ == State::kLeaving) Flush();
  });
}

void Http2Connection::OnReady(uint32_t epoll_events) {
  const bool enough = base::RunUnlessOutOfMemory([this, epoll_events] {
    if (state_ == State::kConnecting && !OnConnected()) return;
    if ((epoll_events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) Read();
    if (state_ != State::kClosed) Flush();
  });
  if (enough) return;
  const base::DroppingForWantOfMemory dropping;
  Fail(Failure::Kind::kBroken, {});
}

bool Http2Connection::OnConnected() {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    Fail(Failure::Kind::kNotConnected, "cannot connect to " + address() + ": " + std::strerror(error));
    return false;
  }
  state_ = State::kOpen;
  return true;
}

void Http2Connection::Read() {
  for (size_t total = 0; total < kReadPerTurn && state_ != State::kClosed;) {
    const std::span<std::byte> space = owner_.read_space();
    const Transport::Progress progress = transport_->Read(space);
    if (progress.state == Transport::State::kWantRead) return;
    if (progress.state != Transport::State::kOk) {
      return Fail(Failure::Kind::kBroken, address() + " closed the connection");
    }
    total += progress.bytes;
    const ssize_t taken =
        nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const uint8_t*>(space.data()), progress.bytes);
    if (taken < 0) {
      return Fail(Failure::Kind::kMalformed,
                  "a response that is no HTTP/2: " + std::string(nghttp2_strerror(static_cast<int>(taken))));
    }
    if (progress.bytes < space.size()) return;  // level-triggered: more bytes are reported
  }
}

void Http2Connection::Flush() {
  for (;;) {
    size_t taken = 0;
    while (output_.empty() || taken < kOutputBytes) {
      const uint8_t* data = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
      if (size < 0) return Fail(Failure::Kind::kBroken, nghttp2_strerror(static_cast<int>(size)));
      if (size == 0) break;
      output_.pieces().emplace_back(
          base::Buffer::CopyOf({reinterpret_cast<const char*>(data), static_cast<size_t>(size)}));
      taken += static_cast<size_t>(size);
    }
    if (output_.empty()) break;
    const Transport::Progress progress = output_.Write(*transport_);
    if (progress.state == Transport::State::kFailed) {
      return Fail(Failure::Kind::kBroken, address() + " closed the connection");
    }
    if (progress.state == Transport::State::kWantWrite) break;
  }
  const bool over = output_.empty() && nghttp2_session_want_read(session_.get()) == 0 &&
                    nghttp2_session_want_write(session_.get()) == 0;
  if (over || (state_ == State::kLeaving && streams_.empty())) {
    return Fail(Failure::Kind::kBroken, address() + " has ended the connection");
  }
  UpdateInterest();
}

void Http2Connection::UpdateInterest() {
  const uint32_t wanted = EPOLLIN | EPOLLRDHUP | (output_.empty() ? 0 : static_cast<uint32_t>(EPOLLOUT));
  if (std::exchange(interest_, wanted) != wanted) owner_.loop().Rewatch(fd_.get(), wanted, *this);
}

void Http2Connection::OnFrame(const nghttp2_frame& frame) {
  if (frame.hd.type == NGHTTP2_GOAWAY) {
    if (state_ == State::kOpen) state_ = State::kLeaving;
    return;
  }
  if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return;
  const bool ends = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (frame.hd.type == NGHTTP2_HEADERS) {
    if (Http2Stream* stream = Find(frame.hd.stream_id)) stream->EndFields(ends);
  }
  if (!ends) return;
  if (Http2Stream* stream = Find(frame.hd.stream_id)) stream->End();
}

void Http2Connection::OnStreamClosed(int32_t id, uint32_t code) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const std::unique_ptr<Http2Stream> stream = std::move(found->second);
  streams_.erase(found);
  const bool refused = code == NGHTTP2_REFUSED_STREAM;
  stream->Close(refused ? Failure::Kind::kNotConnected : Failure::Kind::kBroken,
                address() + " reset the request: " + nghttp2_http2_strerror(code));
  if (idle()) owner_.OnIdle(*this);
}

void Http2Connection::Close() {
  nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
  Flush();
  Fail(Failure::Kind::kBroken, "the connection to " + address() + " was closed");
}

void Http2Connection::Fail(Failure::Kind kind, const std::string& why) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  owner_.loop().Unwatch(fd_.get(), *this);
  fd_.Close();
  output_.Clear();
  // The streams are kept until the end: one of them may be the caller.
  std::vector<Http2Stream*> streams;
  for (const auto& [id, stream] : streams_) streams.push_back(stream.get());
  for (Http2Stream* stream : streams) stream->Close(kind, why);
  owner_.OnClosed(*this);
}

}  // namespace inferd::net::upstream
