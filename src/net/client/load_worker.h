#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "net/client/load.h"
#include "net/client/response_reader.h"

namespace inferd::net {

// One thread's share of a load: some connections on one epoll. Used by one thread at a time.
class LoadWorker final {
 public:
  // `share` of `shares` workers: its part of the connections and of the rate. `options` outlives the worker.
  LoadWorker(const LoadOptions& options, size_t share, size_t shares);
  ~LoadWorker();
  LoadWorker(const LoadWorker&) = delete;
  LoadWorker& operator=(const LoadWorker&) = delete;

  // Opens every connection.
  base::Status Connect();
  // Sends from now to `end_ns` (steady clock); counts what ends at or after `count_from_ns`.
  void Run(int64_t count_from_ns, int64_t end_ns);

  const LoadReport& report() const { return report_; }

 private:
  struct Connection {
    int fd = -1;
    bool busy = false;
    bool proven = false;  // has answered since it was opened
    size_t sent = 0;
    int64_t start_ns = 0;
    ResponseReader reader;
  };

  base::Status Open(Connection& connection);
  void Send(Connection& connection, int64_t start_ns);
  void Flush(Connection& connection);
  void Receive(Connection& connection);
  void OnAnswer(Connection& connection);
  void Break(Connection& connection, std::string_view why);
  void GoOn(Connection& connection);
  // Open loop: sends what is due, and sets the timer for what comes next.
  void SendDue();
  int64_t DueNs(uint64_t n) const;
  bool Counting(int64_t now_ns) const { return now_ns >= count_from_ns_ && now_ns <= end_ns_; }
  void NoteError(std::string text);

  const LoadOptions& options_;
  size_t share_;
  size_t shares_;
  int epoll_fd_ = -1;
  int timer_fd_ = -1;
  std::vector<Connection> connections_;
  std::vector<size_t> idle_;  // open loop: connections that wait for work
  size_t alive_ = 0;
  uint64_t issued_ = 0;
  int64_t begin_ns_ = 0;
  int64_t count_from_ns_ = 0;
  int64_t end_ns_ = 0;
  std::vector<char> inbox_;
  LoadReport report_;
};

}  // namespace inferd::net
