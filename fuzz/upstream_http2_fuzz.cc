// Fuzzes a replica's bytes over HTTP/2, in answer to our requests. Each request must end once, the events of its
// response must be in order, and no connection may remain.
//
// Input: one byte of switches, one byte for the size of the pieces, then the bytes that the replica sends.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/system/file_descriptor.h"
#include "fuzz/require.h"
#include "net/event_loop.h"
#include "net/http/connection_fields.h"
#include "net/upstream/http2_pool.h"
#include "net/upstream/on_loop_fixture.h"

namespace inferd::net::upstream {
namespace {

using fuzz::Require;

enum Switch : uint8_t {
  kGreets = 1,       // the replica has sent its SETTINGS
  kSecond = 2,       // there are two requests
  kGivesUp = 4,      // the first request is cancelled once its response begins
  kPauses = 8,       // the first request pauses reading its response for a while
  kOpenBody = 16,    // the requests' bodies have no end yet
  kLongBody = 32,    // the bodies are longer than a server's window
  kHalfCloses = 64,  // the replica closes only its own side
};

constexpr std::string_view kGreeting("\0\0\0\4\0\0\0\0\0\0\0\0\4\1\0\0\0\0", 18);
constexpr size_t kLongBytes = 100'000;

class Checked final : public Http2Receiver {
 public:
  explicit Checked(uint8_t switches) : switches_(switches) {}

  void OnHead(int status, std::span<const FieldView> fields, bool whole) override {
    Require(!over_ && !head_, "one head");
    Require(status >= 200, "a status that is no interim one");
    head_ = true;
    whole_ = whole;
    CheckFields(fields);
    if ((switches_ & kPauses) != 0) Pause();
    if ((switches_ & kGivesUp) == 0) return;
    GiveUp();
    Finish();
  }
  void OnBody(base::BufferSlice piece) override {
    Require(!over_ && head_ && !whole_, "a body behind its head");
    Require(!piece.empty() || piece.size() == 0, "a piece");
  }
  void OnEnd(std::span<const FieldView> trailers) override {
    Require(!over_ && head_, "an end behind a head");
    CheckFields(trailers);
    Finish();
  }
  void OnFailure(Failure failure) override {
    Require(!over_, "one end");
    Require(!failure.text.empty(), "a reason");
    Finish();
  }
  void OnDrained() override { Require(!over_, "none is told of what is over"); }

  bool over() const { return over_; }
  std::future<void> done() { return done_.get_future(); }

 private:
  void Finish() {
    over_ = true;
    done_.set_value();
  }
  static void CheckFields(std::span<const FieldView> fields) {
    for (const auto& [name, value] : fields) {
      Require(!name.empty() && !name.starts_with(':') && !IsOfConnection(name), "fields of the response alone");
      Require(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos, "a value is one line");
    }
  }

  const uint8_t switches_;
  bool head_ = false;
  bool whole_ = false;
  bool over_ = false;
  std::promise<void> done_;
};

// The replicas' listening socket, and the loop that sends requests. One for all inputs.
class Replicas {
 public:
  Replicas() : path_("/tmp/inferd-fuzz-" + std::to_string(getpid()) + ".sock") {
    unlink(path_.c_str());
    listener_ = base::FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
    Require(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0, "a place");
    Require(listen(listener_.get(), 16) == 0, "a listener");
  }
  ~Replicas() { unlink(path_.c_str()); }

  void OnLoop(base::Task task) { RunOnLoop(loop_, std::move(task)); }
  EventLoop& loop() { return loop_; }
  Address address() const { return *Address::Parse("unix:" + path_); }
  base::FileDescriptor Accept() const { return base::FileDescriptor(accept(listener_.get(), nullptr, nullptr)); }

 private:
  const std::string path_;
  base::FileDescriptor listener_;
  EventLoop loop_{0};
};

void Begin(Http2Pool& pool, const Address& address, uint8_t switches, Checked& receiver) {
  const FieldView fields[] = {{"TE", "trailers"}, {"content-type", "application/grpc"}};
  const Http2Request request{.method = "POST", .path = "/a/b", .authority = "a.b", .fields = fields};
  Require(pool.Begin(address, request, receiver).ok(), "a connection");
  receiver.Write(
      base::BufferSlice(base::Buffer::CopyOf(std::string((switches & kLongBody) != 0 ? kLongBytes : 5, 'x'))));
  if ((switches & kOpenBody) == 0) receiver.EndBody();
}

void SendAll(int socket, std::string_view text, size_t step) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), std::min(step, text.size()), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the client has closed the connection
    text.remove_prefix(static_cast<size_t>(sent));
  }
}

// Reads and discards what the client sends, so that the client does not block.
void ReadToEnd(int socket) {
  char space[4096];
  while (recv(socket, space, sizeof(space), 0) > 0) {
  }
}

void Run(Replicas& replicas, uint8_t switches, size_t step, std::string_view input) {
  auto pool = std::make_unique<Http2Pool>(replicas.loop());
  std::vector<std::unique_ptr<Checked>> receivers;
  std::vector<std::future<void>> done;
  for (int i = 0; i <= ((switches & kSecond) != 0 ? 1 : 0); ++i) {
    receivers.push_back(std::make_unique<Checked>(i == 0 ? switches : uint8_t{0}));
    done.push_back(receivers.back()->done());
  }
  replicas.OnLoop([&] {
    for (const auto& receiver : receivers) Begin(*pool, replicas.address(), switches, *receiver);
    Require(pool->connections() == 1, "they share a connection");
  });
  {
    const base::FileDescriptor replica = replicas.Accept();
    if ((switches & kGreets) != 0) SendAll(replica.get(), kGreeting, kGreeting.size());
    SendAll(replica.get(), input.substr(0, input.size() / 2), step);
    if ((switches & kPauses) != 0) replicas.OnLoop([&] { receivers[0]->Resume(); });
    SendAll(replica.get(), input.substr(input.size() / 2), step);
    if ((switches & kHalfCloses) != 0) {
      shutdown(replica.get(), SHUT_WR);
      ReadToEnd(replica.get());
    }
  }
  for (std::future<void>& each : done) each.wait();
  size_t connections = 1;
  while (connections > 0) replicas.OnLoop([&] { connections = pool->connections(); });
  replicas.OnLoop([&] {
    receivers.clear();
    pool.reset();
  });
}

}  // namespace
}  // namespace inferd::net::upstream

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  static inferd::net::upstream::Replicas replicas;
  inferd::net::upstream::Run(replicas, data[0], data[1] == 0 ? SIZE_MAX : data[1],
                             {reinterpret_cast<const char*>(data) + 2, size - 2});
  return 0;
}
