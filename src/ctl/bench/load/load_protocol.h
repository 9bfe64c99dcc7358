#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::ctl {

// One connection's part of a load: makes the bytes of its calls, and understands their answers. It knows neither time
// nor sockets; LoadWorker paces, measures, and carries the bytes. One per connection, used by one thread at a time.
class LoadProtocol {
 public:
  // How a call ended.
  struct Answer {
    size_t call = 0;
    std::string error{};  // empty: as it should
  };
  enum class State {
    kOpen,
    kDone,    // the server closes the connection behind its answers
    kBroken,  // error() says why
  };

  virtual ~LoadProtocol() = default;

  // Another call. `call` names it until its answer: a number that no call under way has, below LoadOptions::in_flight.
  virtual void Begin(size_t call) = 0;
  // What is to be written now; empty: nothing. Valid until the next call of anything here.
  virtual std::string_view Output() = 0;
  // So many bytes of Output were written.
  virtual void Sent(size_t bytes) = 0;
  // Takes what arrived; appends the answers that it completes.
  virtual State Read(std::string_view data, std::vector<Answer>& answers) = 0;
  virtual std::string_view error() const = 0;
};

// Called for each connection, on any thread.
using LoadProtocolFactory = std::function<std::unique_ptr<LoadProtocol>()>;

}  // namespace inferd::ctl
