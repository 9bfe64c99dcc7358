#pragma once

#include <cstdint>
#include <vector>

#include "net/http/http.h"

namespace inferd::net {

// One request that waits for its response, as its Reply reaches it: an HTTP/1.1 session or an HTTP/2 stream derives
// from it. Loop-bound. Open() hands out the Reply; Close(), or destruction, makes that Reply find nothing any more.
class Exchange {
 public:
  explicit Exchange(Reply::Target& target) : target_(target) {}
  virtual ~Exchange() { Close(); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // The one Reply of the next request; an earlier one finds nothing from now on.
  Reply Open();
  void Close();
  bool open() const { return open_; }

  // What Reply's methods of the same names do. Send and End close the exchange themselves, when they are done with it.
  virtual void Send(HttpResponse&& response) = 0;
  virtual void Start(HttpResponse&& response) = 0;
  virtual bool Write(base::BufferSlice piece) = 0;
  virtual void End(Trailers trailers) = 0;
  virtual void OnWritable(base::Task task) = 0;
  virtual void OnPeerGone(base::Task task) = 0;
  virtual void PauseBody() = 0;
  virtual void ResumeBody() = 0;
  // The Reply is claimed by another: posts the task that OnPeerGone was given.
  virtual void TellPeerGone() = 0;
  // The Reply was destroyed unanswered: 500 if nothing was started, else the response breaks off.
  virtual void Abandon() = 0;

 private:
  Reply::Target& target_;
  bool open_ = false;
  uint32_t slot_ = 0;
};

// The open exchanges of one loop, by slot and generation: a Reply is a key into it, so that one which outlives its
// connection does nothing. Loop-bound; owned by the loop, hence it outlives every Reply.
class Reply::Target final {
 public:
  explicit Target(Loop& loop) : loop_(loop) {}

  // nullptr: gone.
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
