#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "net/http2/stream/link.h"
#include "net/http2/stream/requests.h"
#include "net/http2/stream_table.h"

namespace inferd::net::http2 {

// The end of a connection, by either side: whether the peer is still read, what is sent last, and when the connection
// is closed. (Graceful ending is Drain's.) Loop-bound.
class Ending {
 public:
  Ending(Link& link, StreamTable& streams, const Requests& requests)
      : link_(link), streams_(streams), requests_(requests) {}

  // over(): there is nothing more to do. deaf(): no more bytes are to be read.
  bool over() const { return link_.failed || closing_; }
  bool deaf() const { return over() || dismissed_; }
  bool closing() const { return closing_; }

  // The peer has finished sending. Returns false if that was known.
  bool OnEof() { return !std::exchange(eof_, true); }
  // The connection is gone.
  void OnClosed();

  // Ends a connection because of the peer's misbehaviour: GOAWAY, then close. TerminateSaying() also writes waiting
  // output.
  void Terminate(uint32_t error_code) { nghttp2_session_terminate_session(link_.session, error_code); }
  void TerminateSaying(uint32_t error_code, std::string_view why);
  // The same if nghttp2 itself has failed and cannot send anything more.
  void Fail(int nghttp2_error);
  // Moves Fail()'s GOAWAY to `out`. Returns its bytes.
  size_t TakeLastWords(std::vector<base::BufferSlice>& out) { return last_words_.empty() ? 0 : MoveLastWords(out); }

  // Asks the host to write, or to close if there is nothing left to send.
  void Settle();

 private:
  size_t MoveLastWords(std::vector<base::BufferSlice>& out);
  // True if nothing more will be sent to a peer that has finished sending. Call when nghttp2 has nothing to send.
  bool IsStuck() const { return requests_.in_flight() == 0 && !requests_.deliverable(); }

  Link& link_;
  StreamTable& streams_;
  const Requests& requests_;
  std::string last_words_;  // the GOAWAY that Fail() made by hand
  bool eof_ = false;
  bool dismissed_ = false;  // the peer was told the reason, and is not read any more
  bool closing_ = false;
};

}  // namespace inferd::net::http2
