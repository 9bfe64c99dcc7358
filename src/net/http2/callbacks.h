#pragma once

#include <nghttp2/nghttp2.h>

#include <memory>

namespace inferd::net::http2 {

// What nghttp2 calls, handed on to the parts of the Connection that is its user data. Exceptions (memory) end the
// connection.
struct Callbacks {
  struct Deleter {
    void operator()(nghttp2_session_callbacks* callbacks) const { nghttp2_session_callbacks_del(callbacks); }
  };
  static std::unique_ptr<nghttp2_session_callbacks, Deleter> Make();

  // Where nghttp2 reads a response's body: it is told how much there is, and Sender::SendData moves the bytes.
  static nghttp2_data_provider BodySource();
};

}  // namespace inferd::net::http2
