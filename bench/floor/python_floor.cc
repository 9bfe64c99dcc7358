// python_floor PORT INTERPRETER MODEL.py ELEMENTS: an HTTP floor that calls a bare Python process, and does nothing
// else. It takes a body's last bytes as one row of ELEMENTS float32, without checks, and copies them into memory that
// it shares with the process. It sends the process 4 bytes on a socket, the process calls the file's predict(), and
// answers with 4 bytes. Its cost is the cost of a request to an isolated Python model before any code reads the body.

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "base/system/child_process.h"
#include "base/system/file_descriptor.h"
#include "bench/engine_call/require.h"
#include "bench/floor/http_floor.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file

// A process that calls the model, with the shared memory of its input and its output.
class Worker final {
 public:
  Worker(const std::string& interpreter, const std::string& model, const std::string& elements)
      : bytes_(std::strtoul(elements.c_str(), nullptr, 10) * sizeof(float)) {
    std::array<int, 2> sockets{};
    bench::Require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) == 0, "no socket");
    socket_ = base::FileDescriptor(sockets[0]);
    const base::FileDescriptor its(sockets[1]);
    const base::FileDescriptor input = Share(&input_);
    const base::FileDescriptor output = Share(&output_);
    const std::array descriptors = {its.get(), input.get(), output.get()};
    auto child = base::ChildProcess::Start({.program = interpreter,
                                            .arguments = {interpreter, "bench/floor/python_floor.py", model, elements},
                                            .descriptors = descriptors});
    bench::Require(child.has_value(), "no Python process");
    child_ = std::make_unique<base::ChildProcess>(*std::move(child));
  }

  size_t bytes() const { return bytes_; }

  void Call(const std::byte* row) {
    std::copy_n(row, bytes_, input_);
    std::array<char, 4> message{};
    bench::Require(send(socket_.get(), message.data(), message.size(), 0) == 4, "the Python process has ended");
    pollfd readable{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    bench::Require(poll(&readable, 1, kPatienceMs) == 1, "the Python process does not answer");
    bench::Require(recv(socket_.get(), message.data(), message.size(), 0) == 4, "the Python process has ended");
    std::copy_n(output_, bytes_, answer_.get());
  }

 private:
  static constexpr int kPatienceMs = 60'000;

  base::FileDescriptor Share(std::byte** memory) const {
    base::FileDescriptor file(memfd_create("python_floor", MFD_CLOEXEC));
    bench::Require(file && ftruncate(file.get(), static_cast<off_t>(bytes_)) == 0, "no memory to share");
    void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    bench::Require(mapped != MAP_FAILED, "no memory to share");
    *memory = static_cast<std::byte*>(mapped);
    return file;
  }

  const size_t bytes_;
  base::FileDescriptor socket_;
  std::byte* input_ = nullptr;
  std::byte* output_ = nullptr;
  const std::unique_ptr<std::byte[]> answer_{new std::byte[bytes_]};
  std::unique_ptr<base::ChildProcess> child_;
};

class PythonHandler final : public net::HttpHandler {
 public:
  explicit PythonHandler(Worker& worker) : worker_(worker) {}

  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const base::BufferSlice& body = request.body;
    if (body.size() >= worker_.bytes()) worker_.Call(body.data() + body.size() - worker_.bytes());
    reply.Send(answer_.For(request.head.query));
  }

 private:
  Worker& worker_;
  bench::SizedAnswer answer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: python_floor PORT INTERPRETER MODEL.py ELEMENTS\n");
    return 2;
  }
  Worker worker(argv[2], argv[3], argv[4]);
  // One loop, because the process runs one call at a time.
  return bench::ServeFloor(argv[1], 1, [&](net::Loop&) { return std::make_unique<PythonHandler>(worker); });
}
