#pragma once

#include <cstdint>
#include <vector>

#include "net/http/http.h"

namespace inferd::net {

// One request that waits for its response, as seen by its Reply. An HTTP/1.1 session or an HTTP/2 stream derives from
// it. Loop-bound. Open() returns the Reply. After Close(), or destruction, calls on that Reply do nothing.
class Exchange {
 public:
  explicit Exchange(Reply::Target& target) : target_(target) {}
  virtual ~Exchange() { Close(); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Opens the exchange and returns its only Reply. Calls on an earlier Reply do nothing from now on.
  Reply Open();
  void Close();
  bool open() const { return open_; }

  // Reply's methods of the same names. Send() and End() close the exchange themselves when they are done with it.
  virtual void Send(HttpResponse&& response) = 0;
  virtual void Start(HttpResponse&& response) = 0;
  virtual bool Write(base::BufferSlice piece) = 0;
  virtual void End(Trailers trailers) = 0;
  virtual void OnWritable(base::Task task) = 0;
  virtual void OnPeerGone(base::Task task) = 0;
  virtual void PauseBody() = 0;
  virtual void ResumeBody() = 0;
  // Called when another Reply claims the exchange: posts the task that was given to OnPeerGone().
  virtual void TellPeerGone() = 0;
  // Called when the Reply was destroyed unanswered: sends 500 if no response was started, else breaks off the response.
  virtual void Abandon() = 0;

 private:
  Reply::Target& target_;
  bool open_ = false;
  uint32_t slot_ = 0;
};

// The open exchanges of one loop, by slot and generation. A Reply is a key into this table, so that a Reply which
// outlives its connection does nothing. Loop-bound. Owned by the loop, hence it outlives every Reply.
class Reply::Target final {
 public:
  explicit Target(Loop& loop) : loop_(loop) {}

  // Returns nullptr if the exchange is gone.
  Exchange* Find(uint32_t slot, uint64_t generation) const;
  Loop& loop() const { return loop_; }

 private:
  friend class net::Exchange;
  struct Slot {
    Exchange* exchange = nullptr;
    uint64_t generation = 0;
  };

  Reply Insert(Exchange* exchange, uint32_t& slot);
  void Erase(uint32_t slot);

  Loop& loop_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
};

}  // namespace inferd::net
