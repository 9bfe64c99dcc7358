#pragma once

#include "engines/python/native/python_api.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace inferd::python {

// The worker's socket, for messages that are short. Others are seen to come, and are left to Python. Its thread has the
// interpreter's lock, and gives it away while it waits.
class MessageSocket final {
 public:
  static constexpr size_t kHeaderBytes = sizeof(uint32_t);
  static constexpr size_t kMessageBytesMax = (size_t{1} << 13) - kHeaderBytes;

  // `acquire` and `release` are the methods of the lock that is held while a message is sent.
  MessageSocket(int descriptor, Reference acquire, Reference release);

  // What Python has received and not read: behind what there is. False: it is more than has room here.
  bool Add(std::string_view unread);
  // The next message, which stays the next one until Take(). Nothing: it is too long, the server has gone, or an
  // exception is set.
  std::optional<std::string_view> Await();
  void Take(std::string_view message) { begin_ += kHeaderBytes + message.size(); }
  // All that has come, and was not taken. It is not here any more, and stays where it is until the next call.
  std::string_view TakeAll();

  // False, with an exception: it is not sent, or in parts.
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
