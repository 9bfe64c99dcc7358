#pragma once

#include "engines/python/native/python_api.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace inferd::python {

// The worker's socket, for short messages. Long messages are detected and left to Python. Call with the interpreter's
// lock held; it is released during waits.
class MessageSocket final {
 public:
  static constexpr size_t kHeaderBytes = sizeof(uint32_t);
  static constexpr size_t kMessageBytesMax = (size_t{1} << 13) - kHeaderBytes;

  // `acquire` and `release` are the methods of the lock to hold while a message is sent.
  MessageSocket(int descriptor, Reference acquire, Reference release);

  // Appends bytes that Python received but did not read. Returns false if there is no room for them.
  bool Add(std::string_view unread);
  // Returns the next message, which stays the next one until Take(). nullopt if it is too long, the server is gone, or
  // an exception is set.
  std::optional<std::string_view> Await();
  void Take(std::string_view message) { begin_ += kHeaderBytes + message.size(); }
  // Returns all bytes that were not taken, and forgets them. They stay valid until the next call.
  std::string_view TakeAll();

  // Returns false, with an exception, if the message was not sent or only in part.
  bool Send(const std::string& message);

 private:
  std::string_view unread() const { return {received_.data() + begin_, end_ - begin_}; }
  void MoveToFront();
  bool Receive();
  bool SendAll(std::string_view bytes) const;

  const int descriptor_;
  Reference acquire_;
  Reference release_;
  std::array<char, kHeaderBytes + kMessageBytesMax> received_ = {};
  size_t begin_ = 0;
  size_t end_ = 0;
  std::string sent_;
};

}  // namespace inferd::python
