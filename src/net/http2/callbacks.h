#pragma once

#include <nghttp2/nghttp2.h>

#include <memory>

namespace inferd::net::http2 {

// nghttp2's callbacks. They forward to the parts of the Connection, which is the session's user data. An exception (out
// of memory) ends the connection.
struct Callbacks {
  struct Deleter {
    void operator()(nghttp2_session_callbacks* callbacks) const { nghttp2_session_callbacks_del(callbacks); }
  };
  static std::unique_ptr<nghttp2_session_callbacks, Deleter> Make();

  // Returns nghttp2's source for a response's body: nghttp2 gets the number of bytes, and Sender::SendData() moves
  // them.
  static nghttp2_data_provider BodySource();
};

}  // namespace inferd::net::http2
