#pragma once

#include <nghttp2/nghttp2.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::bench {

// One gRPC connection that does nothing, with minimal code around nghttp2. It reads a message's bytes into one buffer,
// which any server must do, and answers with the number of bytes in the path: "/floor/Unary?bytes=100", or
// "/floor/Stream?bytes=100". On a stream, it answers each message, and the stream ends when the client ends it.
class GrpcSession final {
 public:
  GrpcSession();
  GrpcSession(const GrpcSession&) = delete;
  GrpcSession& operator=(const GrpcSession&) = delete;

  // Processes received bytes. Returns false if the connection must be closed.
  bool Read(const uint8_t* data, size_t bytes);
  // Returns the bytes to write now. Empty if there are none. The caller reports the bytes that it wrote by Written().
  const std::vector<iovec>& Output();
  void Written(size_t bytes);

 private:
  struct Stream {
    bool unary = true;
    size_t answer_bytes = 0;
    std::string request;      // the message that is being read, with its prefix
    size_t answers_left = 0;  // bytes of framed answers still to be sent
    size_t answer_at = 0;     // the position in the framed answer
    bool responding = false;
    bool ended = false;  // true if the client has ended it
  };
  struct Deleter {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  static GrpcSession& Of(void* user) { return *static_cast<GrpcSession*>(user); }
  static void SetCallbacks(nghttp2_session_callbacks* callbacks);
  static ssize_t ReadAnswer(nghttp2_session* session, int32_t id, uint8_t*, size_t bytes_max, uint32_t* flags,
                            nghttp2_data_source* source, void*);
  static int SendAnswer(nghttp2_session*, nghttp2_frame* frame, const uint8_t* head, size_t bytes, nghttp2_data_source*,
                        void* user);

  Stream* Find(int32_t id);
  void OnPath(Stream& stream, std::string_view path);
  void OnData(int32_t id, std::string_view data);
  void OnEnd(int32_t id);
  void Respond(int32_t id, Stream& stream);
  void Copy(const uint8_t* data, size_t bytes);
  void Refer(const std::string& text, size_t at, size_t bytes);
  const std::string& Answer(size_t bytes);

  std::unique_ptr<nghttp2_session, Deleter> session_;
  std::map<int32_t, Stream> streams_;
  std::map<size_t, std::string> answers_;  // framed, by size
  std::string store_;                      // nghttp2's output; never grows past its capacity while iovecs point into it
  std::vector<iovec> output_;
  size_t output_bytes_ = 0;
};

}  // namespace inferd::bench
