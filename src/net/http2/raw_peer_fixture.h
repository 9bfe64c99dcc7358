#pragma once

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "net/http2/session.h"
#include "tests/support/fake_session_host.h"

// For tests: a peer that writes its frames by hand, so that they may be malformed.

namespace inferd::net::http2 {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr uint8_t kEndStream = 1, kEndHeaders = 4, kPadded = 8;

inline std::string Frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
  std::string frame;
  const auto size = static_cast<uint32_t>(payload.size());
  for (const uint32_t byte : {size >> 16, size >> 8, size, uint32_t{type}, uint32_t{flags}, stream >> 24, stream >> 16,
                              stream >> 8, stream}) {
    frame += static_cast<char>(byte & 0xff);
  }
  return frame.append(payload);
}

// A field that is neither indexed nor compressed (RFC 7541, 6.2.2).
inline std::string Field(std::string_view name, std::string_view value) {
  std::string field("\0", 1);
  field += static_cast<char>(name.size());
  field += name;
  field += static_cast<char>(value.size());
  return field += value;
}

// GET and POST / with indexed fields only (RFC 7541, appendix A), and an authority.
inline const std::string kGet = std::string("\x82\x84\x86\x41\x01h", 6);
inline const std::string kPost = std::string("\x83\x84\x86\x41\x01h", 6);
inline const std::string kGreeting = std::string(kPreface) + Frame(NGHTTP2_SETTINGS, 0, 0, "");

class RawPeerTest : public ::testing::Test {
 protected:
  // A frame that was sent to the peer.
  struct Sent {
    uint8_t type = 0;
    uint8_t flags = 0;
    int32_t stream = 0;
    std::string payload;
  };

  // Returns the error code of the GOAWAY that answers `bytes`, or -1 if there is none.
  int GoawayFor(std::string_view bytes) {
    Feed(*session_, bytes);
    return last_goaway();
  }
  // Returns the error code of RST_STREAM for `stream` after `bytes`, or -1 if there is none.
  int ResetFor(std::string_view bytes, int32_t stream = 1) {
    Feed(*session_, bytes);
    int code = -1;
    for (const Sent& frame : TakeFrames()) {
      if (frame.type == NGHTTP2_RST_STREAM && frame.stream == stream) code = static_cast<uint8_t>(frame.payload[3]);
    }
    return code;
  }
  int last_goaway() {
    int code = -1;
    for (const Sent& frame : TakeFrames()) {
      if (frame.type != NGHTTP2_GOAWAY) continue;
      code = static_cast<uint8_t>(frame.payload[7]);
      goaway_words_ = frame.payload.substr(8);
    }
    return code;
  }
  // Returns all frames of this session so far.
  std::vector<Sent> TakeFrames() {
    std::string_view out = output_ += TakeAll(*session_);
    std::vector<Sent> frames;
    const auto number = [&](size_t at, size_t bytes) {
      uint32_t value = 0;
      for (size_t i = at; i < at + bytes; ++i) value = value << 8 | static_cast<unsigned char>(out[i]);
      return value;
    };
    while (out.size() >= 9) {
      const size_t size = number(0, 3);
      frames.push_back({static_cast<uint8_t>(number(3, 1)), static_cast<uint8_t>(number(4, 1)),
                        static_cast<int32_t>(number(5, 4)), std::string(out.substr(9, size))});
      out.remove_prefix(9 + size);
    }
    return frames;
  }
  size_t CountSent(uint8_t type) {
    size_t count = 0;
    for (const Sent& frame : TakeFrames()) count += frame.type == type && (frame.flags & NGHTTP2_FLAG_ACK) == 0;
    return count;
  }
  void Restart() {
    session_ = MakeSession(host_);
    output_.clear();
  }
  void Tick(std::chrono::milliseconds later) { session_->OnTick(start_ns_ + std::chrono::nanoseconds(later).count()); }

  FakeSessionHost host_;
  const int64_t start_ns_ = base::SystemClock().NowNs();
  std::unique_ptr<Session> session_ = MakeSession(host_);
  std::string output_;
  std::string goaway_words_;
};

}  // namespace inferd::net::http2
