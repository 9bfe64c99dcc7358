#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>

#include "serving/scheduling/queue/queue_entry.h"

namespace inferd::scheduling {

// Requests that wait, in order of arrival, and at the same time by what can share an execution: so that a batch is
// found, and one that gave up is taken out, without a look at the others. Owns its entries. Not thread-safe.
class EntryFifo final {
 public:
  using List =
      boost::intrusive::list<QueueEntry, boost::intrusive::member_hook<QueueEntry, ListHook, &QueueEntry::by_arrival>>;
  using KeyList =
      boost::intrusive::list<QueueEntry, boost::intrusive::member_hook<QueueEntry, ListHook, &QueueEntry::by_key>>;

  // Requests that may share an execution, oldest first: those that are not `alone`, of one key.
  struct Group {
    KeyList entries;
    int64_t rows = 0;
    int64_t expires_ns = 0;  // none of them expires earlier; 0: none expires
  };

  EntryFifo() = default;
  ~EntryFifo();
  EntryFifo(const EntryFifo&) = delete;
  EntryFifo& operator=(const EntryFifo&) = delete;

  void PushBack(std::unique_ptr<QueueEntry> entry);
  void PushFront(std::unique_ptr<QueueEntry> entry);
  // `entry` is in here.
  std::unique_ptr<QueueEntry> Remove(QueueEntry& entry);

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  int64_t rows() const { return rows_; }
  QueueEntry& front() { return entries_.front(); }
  const List& entries() const { return entries_; }
  List& entries() { return entries_; }
  // Null: nobody of that key waits. Valid until the next change.
  Group* Find(BatchKey key);
  // Makes group.expires_ns exact: that of an entry that is still there.
  static void RefreshExpiry(Group& group);

 private:
  void JoinGroup(QueueEntry& entry, bool first);

  List entries_;
  int64_t rows_ = 0;
  boost::unordered_flat_map<uint64_t, Group> groups_;  // none is empty
};

}  // namespace inferd::scheduling
