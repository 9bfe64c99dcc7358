#include "kserve/agent/ready/probe_call.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "base/system/file_descriptor.h"

namespace inferd::agent {

namespace {

// Calls `done` exactly once, at the latest when the timeout expires.
class TimedProbe : public ProbeCall {
 public:
  TimedProbe(net::EventLoop& loop, std::chrono::milliseconds timeout, Done done)
      : loop_(loop), done_(std::move(done)), timer_(loop.RunAfter(timeout, [this] {
          timer_ = 0;
          Finish(false);
        })) {}
  ~TimedProbe() override {
    if (timer_ != 0) loop_.CancelTimer(timer_);
  }

 protected:
  net::EventLoop& loop() { return loop_; }
  // `done` may destroy this object.
  void Finish(bool ready) {
    if (Done done = std::exchange(done_, nullptr)) done(ready);
  }
  void FinishLater(bool ready) {
    if (timer_ != 0) loop_.CancelTimer(timer_);
    timer_ = loop_.RunAfter(std::chrono::milliseconds(0), [this, ready] {
      timer_ = 0;
      Finish(ready);
    });
  }

 private:
  net::EventLoop& loop_;
  Done done_;
  net::Loop::TimerId timer_;
};

// Checks that a program listens at the port.
class ConnectProbe final : public TimedProbe, public net::EventLoop::Watcher {
 public:
  ConnectProbe(const ReadinessProbe& probe, net::EventLoop& event_loop, Done done)
      : TimedProbe(event_loop, probe.timeout, std::move(done)),
        fd_(socket(probe.address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    const int result = fd_ ? connect(fd_.get(), probe.address.get(), probe.address.size()) : -1;
    const bool connecting = fd_ && result != 0 && errno == EINPROGRESS;
    watched_ = connecting && loop().Watch(fd_.get(), EPOLLOUT, *this);
    if (!watched_) FinishLater(result == 0);
  }
  ~ConnectProbe() override { Unwatch(); }

 private:
  void Unwatch() {
    if (std::exchange(watched_, false)) loop().Unwatch(fd_.get(), *this);
  }
  void OnReady(uint32_t) override {
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    Unwatch();
    FinishLater(error == 0);
  }

  base::FileDescriptor fd_;
  bool watched_ = false;
};

// Checks the status of a GET. The body is ignored.
class GetProbe final : public TimedProbe, public net::upstream::Receiver {
 public:
  GetProbe(const ReadinessProbe& probe, net::EventLoop& event_loop, net::upstream::Pool& pool, Done done)
      : TimedProbe(event_loop, probe.timeout, std::move(done)) {
    const net::upstream::FieldView fields[] = {{"Host", probe.host}, {"User-Agent", "kube-probe/inferd-agent"}};
    net::upstream::Request request;
    request.method = "GET";
    request.target = *probe.path;
    request.fields = fields;
    request.says_length = false;
    // A reused connection may have been closed meanwhile, so a new one is used.
    if (!pool.Send(probe.address, request, *this, true).ok()) FinishLater(false);
  }

 private:
  void OnHead(const net::upstream::ResponseHead& head) override {
    GiveUp();
    FinishLater(head.status >= 200 && head.status < 400);
  }
  void OnBody(base::BufferSlice) override {}
  void OnEnd() override {}
  void OnFailure(net::upstream::Failure) override { FinishLater(false); }
};

}  // namespace

std::unique_ptr<ProbeCall> ProbeCall::Begin(const ReadinessProbe& probe, net::EventLoop& loop,
                                            net::upstream::Pool& pool, Done done) {
  if (probe.path.has_value()) return std::make_unique<GetProbe>(probe, loop, pool, std::move(done));
  return std::make_unique<ConnectProbe>(probe, loop, std::move(done));
}

}  // namespace inferd::agent
