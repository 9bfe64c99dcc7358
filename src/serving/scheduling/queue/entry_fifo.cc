#include "serving/scheduling/queue/entry_fifo.h"

#include "serving/scheduling/queue/queue_policy.h"

namespace inferd::scheduling {

EntryFifo::~EntryFifo() {
  groups_.clear();
  entries_.clear_and_dispose([](QueueEntry* entry) { delete entry; });
}

void EntryFifo::PushBack(std::unique_ptr<QueueEntry> entry) {
  JoinGroup(*entry, false);
  rows_ += entry->rows();
  entries_.push_back(*entry.release());
}

void EntryFifo::PushFront(std::unique_ptr<QueueEntry> entry) {
  JoinGroup(*entry, true);
  rows_ += entry->rows();
  entries_.push_front(*entry.release());
}

void EntryFifo::JoinGroup(QueueEntry& entry, bool first) {
  if (entry.alone) return;
  Group& group = groups_[entry.key.hash];
  group.rows += entry.rows();
  group.expires_ns = Earlier(group.expires_ns, entry.expires_ns);
  if (first) {
    group.entries.push_front(entry);
  } else {
    group.entries.push_back(entry);
  }
}

std::unique_ptr<QueueEntry> EntryFifo::Remove(QueueEntry& entry) {
  if (!entry.alone) {
    const auto it = groups_.find(entry.key.hash);
    Group& group = it->second;
    group.rows -= entry.rows();
    group.entries.erase(group.entries.iterator_to(entry));
    if (group.entries.empty()) groups_.erase(it);
  }
  rows_ -= entry.rows();
  entries_.erase(entries_.iterator_to(entry));
  return std::unique_ptr<QueueEntry>(&entry);
}

EntryFifo::Group* EntryFifo::Find(BatchKey key) {
  const auto it = groups_.find(key.hash);
  return it == groups_.end() ? nullptr : &it->second;
}

void EntryFifo::RefreshExpiry(Group& group) {
  group.expires_ns = 0;
  for (const QueueEntry& entry : group.entries) group.expires_ns = Earlier(group.expires_ns, entry.expires_ns);
}

}  // namespace inferd::scheduling
