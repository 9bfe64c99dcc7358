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

// How a connection ends, whichever side wants it to: whether its peer is still listened to, what is said last, and when
// it is closed. (What lets the peer end it in peace is Drain's.) Loop-bound.
class Ending {
 public:
  Ending(Link& link, StreamTable& streams, const Requests& requests)
      : link_(link), streams_(streams), requests_(requests) {}

  // Nothing is to be done any more; nothing that comes is to be read.
  bool over() const { return link_.failed || closing_; }
  bool deaf() const { return over() || dismissed_; }
  bool closing() const { return closing_; }

  // The peer has finished sending. False: it is known.
  bool OnEof() { return !std::exchange(eof_, true); }
  // The connection is gone.
  void OnClosed();

  // Ends a connection whose peer does what it must not: GOAWAY, then close. With words for it, what waits is written.
  void Terminate(uint32_t error_code) { nghttp2_session_terminate_session(link_.session, error_code); }
  void TerminateSaying(uint32_t error_code, std::string_view why);
  // The same where nghttp2 itself has given up and can send nothing more.
  void Fail(int nghttp2_error);
  // Moves Fail's GOAWAY to `out`; returns its bytes.
  size_t TakeLastWords(std::vector<base::BufferSlice>& out) { return last_words_.empty() ? 0 : MoveLastWords(out); }

  // Asks the host to write, or to close when nothing is left to say.
  void Settle();

 private:
  size_t MoveLastWords(std::vector<base::BufferSlice>& out);
  // Returns true if a peer that sends nothing more is sent nothing more either. Call when nghttp2 has nothing to send.
  bool IsStuck() const { return requests_.in_flight() == 0 && !requests_.deliverable(); }

  Link& link_;
  StreamTable& streams_;
  const Requests& requests_;
  std::string last_words_;  // the hand-made GOAWAY of Fail
  bool eof_ = false;
  bool dismissed_ = false;  // the peer has been told why, and is not read any more
  bool closing_ = false;
};

}  // namespace inferd::net::http2
