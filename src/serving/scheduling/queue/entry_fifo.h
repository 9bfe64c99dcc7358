#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>

#include "serving/scheduling/queue/queue_entry.h"

namespace inferd::scheduling {

// Waiting requests in order of arrival, and also grouped by what can share an execution. So the queue can find a batch,
// or remove a request that gave up, without a search. Owns its entries. Not thread-safe.
class EntryFifo final {
 public:
  using List =
      boost::intrusive::list<QueueEntry, boost::intrusive::member_hook<QueueEntry, ListHook, &QueueEntry::by_arrival>>;
  using KeyList =
      boost::intrusive::list<QueueEntry, boost::intrusive::member_hook<QueueEntry, ListHook, &QueueEntry::by_key>>;

  // The requests of one key that may share an execution (not `alone`), oldest first.
  struct Group {
    KeyList entries;
    int64_t rows = 0;
    int64_t expires_ns = 0;  // no entry expires before this; 0 if none expires
  };

  EntryFifo() = default;
  ~EntryFifo();
  EntryFifo(const EntryFifo&) = delete;
  EntryFifo& operator=(const EntryFifo&) = delete;

  void PushBack(std::unique_ptr<QueueEntry> entry);
  void PushFront(std::unique_ptr<QueueEntry> entry);
  // Removes an entry, which must be in this queue.
  std::unique_ptr<QueueEntry> Remove(QueueEntry& entry);

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  int64_t rows() const { return rows_; }
  QueueEntry& front() { return entries_.front(); }
  const List& entries() const { return entries_; }
  List& entries() { return entries_; }
  // Returns the group of a key. Null if no request of that key waits. Valid until the next change.
  Group* Find(BatchKey key);
  // Makes group.expires_ns exact, as the entry that set it may have left.
  static void RefreshExpiry(Group& group);

 private:
  void JoinGroup(QueueEntry& entry, bool first);

  List entries_;
  int64_t rows_ = 0;
  boost::unordered_flat_map<uint64_t, Group> groups_;  // none is empty
};

}  // namespace inferd::scheduling
