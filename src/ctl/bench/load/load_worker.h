#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ctl/bench/load/load.h"

namespace inferd::ctl {

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
  // Before Run: calls are made until `end_ns` (steady clock); what ends at or after `count_from_ns` counts, in an open
  // loop what is due then.
  void SetTimes(int64_t count_from_ns, int64_t end_ns);
  void Run();
  // Ends Run as if `end_ns` were `now_ns`. From any thread.
  void Stop(int64_t now_ns);

  // LoadReport::completed so far. From any thread.
  uint64_t completed() const { return completed_.load(std::memory_order_relaxed); }
  // After Run.
  const LoadReport& report() const { return report_; }

 private:
  static constexpr int64_t kIdle = -1;

  struct Connection {
    int fd = -1;
    std::unique_ptr<LoadProtocol> protocol;
    std::vector<int64_t> start_ns;  // by call; kIdle: not under way
    bool proven = false;            // has answered since it was opened
    bool mute = false;              // the server reads no more, but may still answer
  };
  struct IdleCall {
    size_t connection;
    size_t call;
    int64_t since_ns;
  };

  base::Status Open(Connection& connection);
  void Begin(Connection& connection, size_t call, int64_t start_ns);
  void Flush(Connection& connection);
  void Receive(Connection& connection);
  void OnAnswer(Connection& connection, LoadProtocol::Answer& answer);
  void Break(Connection& connection, std::string_view why);
  void GoOn(Connection& connection, size_t call);
  void BeginAll(Connection& connection);
  // Open loop: begins what is due, and sets the timer for what comes next.
  void BeginDue();
  void BeginNext(int64_t due_ns, int64_t now_ns);
  void ArmTimer(int64_t due_ns);
  int64_t end_ns() const { return end_ns_.load(std::memory_order_relaxed); }
  // Whether a call counts that was due, or began, at `start_ns` and ends now.
  bool Counts(int64_t start_ns, int64_t now_ns) const;
  bool Finished(int64_t now_ns) const;
  void WaitOnce(int64_t now_ns);
  void NoteError(std::string_view text);
  void NoteRefusal(std::string_view text);
  size_t IndexOf(const Connection& connection) const { return static_cast<size_t>(&connection - connections_.data()); }

  const LoadOptions& options_;
  size_t share_;
  size_t shares_;
  int epoll_fd_ = -1;
  int timer_fd_ = -1;
  int stop_fd_ = -1;  // an eventfd that ends the wait for events
  std::vector<Connection> connections_;
  std::vector<IdleCall> idle_;  // open loop: what waits for work
  size_t alive_ = 0;
  size_t under_way_ = 0;
  std::optional<Arrivals> arrivals_;  // open loop
  int64_t begin_ns_ = 0;
  int64_t count_from_ns_ = 0;
  std::atomic<int64_t> end_ns_ = 0;
  std::atomic<uint64_t> completed_ = 0;  // written by the worker's thread alone
  int64_t armed_ns_ = 0;                 // the timer
  std::vector<char> inbox_;
  std::vector<LoadProtocol::Answer> answers_;
  LoadReport report_;
};

}  // namespace inferd::ctl
