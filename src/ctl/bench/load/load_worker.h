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

// One thread's part of a load: some connections on one epoll. The caller must use one thread at a time.
class LoadWorker final {
 public:
  // Part `share` of `shares`: this worker's connections and rate. `options` must outlive the worker.
  LoadWorker(const LoadOptions& options, size_t share, size_t shares);
  ~LoadWorker();
  LoadWorker(const LoadWorker&) = delete;
  LoadWorker& operator=(const LoadWorker&) = delete;

  // Opens all connections.
  base::Status Connect();
  // Sets the times of the measurement; call it before Run. Calls are sent until `end_ns` (steady clock). Calls that end
  // at or after `count_from_ns` count; in an open loop, those that are due then.
  void SetTimes(int64_t count_from_ns, int64_t end_ns);
  void Run();
  // Ends Run as if `end_ns` were `now_ns`. Thread-safe.
  void Stop(int64_t now_ns);

  // Returns the current LoadReport::completed. Thread-safe.
  uint64_t completed() const { return completed_.load(std::memory_order_relaxed); }
  // Returns the results. Call it after Run.
  const LoadReport& report() const { return report_; }

 private:
  static constexpr int64_t kIdle = -1;

  struct Connection {
    int fd = -1;
    std::unique_ptr<LoadProtocol> protocol;
    std::vector<int64_t> start_ns;  // by call; kIdle if not in flight
    bool proven = false;            // a response has arrived since the connection was opened
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
  // Open loop: starts the calls that are due, and sets the timer for the next one.
  void BeginDue();
  void BeginNext(int64_t due_ns, int64_t now_ns);
  void ArmTimer(int64_t due_ns);
  int64_t end_ns() const { return end_ns_.load(std::memory_order_relaxed); }
  // Returns true if a call counts that was due, or started, at `start_ns` and ends now.
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
  std::vector<IdleCall> idle_;  // open loop: free slots for calls
  size_t alive_ = 0;
  size_t under_way_ = 0;
  std::optional<Arrivals> arrivals_;  // open loop
  int64_t begin_ns_ = 0;
  int64_t count_from_ns_ = 0;
  std::atomic<int64_t> end_ns_ = 0;
  std::atomic<uint64_t> completed_ = 0;  // written by the worker's thread only
  int64_t armed_ns_ = 0;                 // time to which the timer is set
  std::vector<char> inbox_;
  std::vector<LoadProtocol::Answer> answers_;
  LoadReport report_;
};

}  // namespace inferd::ctl
