#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::ctl {

// A protocol on one connection of a load: encodes calls and decodes responses. It knows neither time nor sockets:
// LoadWorker schedules, measures, and transfers the bytes. One per connection; the caller must use one thread at a
// time.
class LoadProtocol {
 public:
  // The end of a call.
  struct Answer {
    size_t call = 0;
    std::string error{};  // empty on success
  };
  enum class State {
    kOpen,
    kDone,    // the server closes the connection after its responses
    kBroken,  // error() says why
  };

  virtual ~LoadProtocol() = default;

  // Starts a call. `call` identifies it until its response: a number below LoadOptions::in_flight that no call in
  // flight has.
  virtual void Begin(size_t call) = 0;
  // Returns the bytes to write now; may be empty. Valid until the next call of any method.
  virtual std::string_view Output() = 0;
  // Reports that so many bytes of Output were written.
  virtual void Sent(size_t bytes) = 0;
  // Takes received bytes, and appends the calls that they complete.
  virtual State Read(std::string_view data, std::vector<Answer>& answers) = 0;
  virtual std::string_view error() const = 0;
};

// Creates the protocol of a connection. Called on any thread.
using LoadProtocolFactory = std::function<std::unique_ptr<LoadProtocol>()>;

}  // namespace inferd::ctl
