#include "kserve/apiserver/store/object_store.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace inferd::apiserver {

namespace {

// The text is short enough to need no allocation.
base::Status OutOfMemory() { return base::ResourceExhausted("out of memory"); }

base::Result<ObjectPtr> Refused(const base::Status& status) {
  try {
    return std::unexpected(status);
  } catch (const std::bad_alloc&) {
    return std::unexpected(OutOfMemory());
  }
}

base::Status Aborted(std::string message) { return {base::StatusCode::kAborted, std::move(message)}; }

// Returns the key range of a resource, in one namespace or in all, from the first to below the second.
std::pair<ObjectKey, ObjectKey> RangeOf(const std::string& resource, const std::string& namespace_name) {
  const std::string zero(1, '\0');  // makes the next text in order
  if (namespace_name.empty()) return {{resource, "", ""}, {resource + zero, "", ""}};
  return {{resource, namespace_name, ""}, {resource, namespace_name + zero, ""}};
}

size_t BytesOf(const Change& change) {
  return change.object->json.size() + (change.before == nullptr ? 0 : change.before->json.size());
}

}  // namespace

base::Result<std::unique_ptr<ObjectStore>> ObjectStore::Open(const std::string& path, const StoreLimits& limits) {
  INFERD_ASSIGN_OR_RETURN(auto database, Database::Open(path));
  std::unique_ptr<ObjectStore> store(new ObjectStore(std::move(database), limits));
  INFERD_RETURN_IF_ERROR(store->Load());
  return store;
}

base::Status ObjectStore::Load() {
  Objects objects;
  size_t bytes = 0;
  int64_t revision = 0;
  INFERD_RETURN_IF_ERROR(database_->Read(
      [&](StoredObject object) {
        bytes += object.json.size();
        auto kept = std::make_shared<const StoredObject>(std::move(object));
        objects.emplace(kept->key, std::move(kept));
      },
      revision));
  const base::MutexLock lock(mutex_);
  objects_ = std::move(objects);
  bytes_ = bytes;
  revision_ = history_begin_ = revision;
  return base::OkStatus();
}

int64_t ObjectStore::revision() const {
  const base::MutexLock lock(mutex_);
  return revision_;
}

ObjectPtr ObjectStore::Get(const ObjectKey& key) const {
  const base::MutexLock lock(mutex_);
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

ObjectStore::Listed ObjectStore::List(const std::string& resource, const std::string& namespace_name) const {
  const auto [first, last] = RangeOf(resource, namespace_name);
  const base::MutexLock lock(mutex_);
  Listed listed{.objects = {}, .revision = revision_};
  for (auto it = objects_.lower_bound(first); it != objects_.end() && it->first < last; ++it) {
    listed.objects.push_back(it->second);
  }
  return listed;
}

// The first waiting thread commits all writes in the queue, so that together they wait for the disk once.
base::Result<ObjectPtr> ObjectStore::Commit(Write write) {
  Pending own{.write = std::move(write)};
  base::MutexLock lock(queue_mutex_);
  queue_.push_back(&own);
  while (!own.settled) {
    if (committing_) {
      settled_.Wait(queue_mutex_);
      continue;
    }
    committing_ = true;
    const std::vector<Pending*> group = std::exchange(queue_, {});
    lock.unlock();
    CommitAll(group);
    lock.lock();
    for (Pending* pending : group) pending->settled = true;
    committing_ = false;
    settled_.NotifyAll();
  }
  return *std::move(own.result);
}

// Must not throw, because the threads of the group would wait forever.
void ObjectStore::CommitAll(const std::vector<Pending*>& group) noexcept {
  Objects staged;
  int64_t revision = this->revision();
  base::Status status;
  try {
    status = CommitToDatabase(group, staged, revision);
  } catch (const std::exception&) {
    status = OutOfMemory();
  }
  if (!status.ok()) {
    database_->Rollback();
    // Some writes may have been refused because of others in the group. Those are undone, so all get this error.
    for (Pending* pending : group) pending->result = Refused(status);
    return;
  }
  Publish(group, staged, revision);
  Notify();
}

base::Status ObjectStore::CommitToDatabase(const std::vector<Pending*>& group, Objects& staged, int64_t& revision) {
  int64_t bytes = 0;
  int64_t count = 0;
  INFERD_RETURN_IF_ERROR(database_->Begin());
  for (Pending* pending : group) INFERD_RETURN_IF_ERROR(Stage(*pending, staged, revision, bytes, count));
  return database_->Commit(revision);
}

// Returns an error for the whole group. A refusal of only this write becomes its result.
base::Status ObjectStore::Stage(Pending& pending, Objects& staged, int64_t& revision, int64_t& bytes, int64_t& count) {
  const Write& write = pending.write;
  const auto own = staged.find(write.key);
  const ObjectPtr before = own == staged.end() ? Get(write.key) : own->second;
  if ((before == nullptr ? 0 : before->revision) != write.expected) {
    pending.result = std::unexpected(Aborted(before == nullptr ? "the object is gone" : "the object has changed"));
    return base::OkStatus();
  }
  StoredObject made{.key = write.key, .revision = revision + 1, .json = write.json(revision + 1)};
  const auto grown = static_cast<int64_t>(write.remove ? 0 : made.json.size()) -
                     static_cast<int64_t>(before == nullptr ? 0 : before->json.size());
  const int64_t more = (write.remove ? 0 : 1) - (before == nullptr ? 0 : 1);
  size_t all_bytes = 0;
  size_t all_objects = 0;
  {
    const base::MutexLock lock(mutex_);
    all_bytes = static_cast<size_t>(static_cast<int64_t>(bytes_) + bytes + grown);
    all_objects = static_cast<size_t>(static_cast<int64_t>(objects_.size()) + count + more);
  }
  if (made.json.size() > limits_.object_bytes_max) {
    pending.result = std::unexpected(
        base::OutOfRange("the object is longer than " + std::to_string(limits_.object_bytes_max) + " bytes"));
    return base::OkStatus();
  }
  if ((grown > 0 && all_bytes > limits_.bytes_max) || (more > 0 && all_objects > limits_.objects_max)) {
    pending.result = std::unexpected(base::ResourceExhausted("the store of objects is full"));
    return base::OkStatus();
  }
  INFERD_RETURN_IF_ERROR(write.remove ? database_->Remove(write.key) : database_->Put(made));
  ++revision;
  bytes += grown;
  count += more;
  const ObjectPtr object = std::make_shared<const StoredObject>(std::move(made));
  pending.change = {.type = write.remove        ? Change::Type::kDeleted
                            : before == nullptr ? Change::Type::kAdded
                                                : Change::Type::kModified,
                    .object = object,
                    .before = before};
  staged[write.key] = write.remove ? nullptr : object;
  return base::OkStatus();
}

// The write is already on disk, so a lack of memory must not undo it: objects move in the map nodes of `staged`.
// Without memory, the history begins anew, and watches list everything again.
void ObjectStore::Publish(const std::vector<Pending*>& group, Objects& staged, int64_t revision) {
  const base::MutexLock lock(mutex_);
  for (Pending* pending : group) {
    if (pending->result.has_value()) continue;
    const Change& change = pending->change;
    if (change.before != nullptr) bytes_ -= change.before->json.size();
    if (change.type != Change::Type::kDeleted) bytes_ += change.object->json.size();
    pending->result = change.object;
  }
  while (!staged.empty()) {
    auto node = staged.extract(staged.begin());
    const auto found = objects_.find(node.key());
    if (found == objects_.end()) {
      if (node.mapped() != nullptr) objects_.insert(std::move(node));
    } else if (node.mapped() == nullptr) {
      objects_.erase(found);
    } else {
      found->second = std::move(node.mapped());
    }
  }
  revision_ = revision;
  Remember(group);
}

void ObjectStore::Remember(const std::vector<Pending*>& group) {
  try {
    for (Pending* pending : group) {
      if (pending->change.object == nullptr) continue;
      history_.push_back(pending->change);
      history_bytes_ += BytesOf(pending->change);
    }
  } catch (const std::bad_alloc&) {
    history_.clear();
    history_bytes_ = 0;
    history_begin_ = revision_;
  }
  while (history_.size() > limits_.history_changes_max || history_bytes_ > limits_.history_bytes_max) {
    history_begin_ = history_.front().object->revision;
    history_bytes_ -= BytesOf(history_.front());
    history_.pop_front();
  }
}

base::Result<ObjectStore::Changes> ObjectStore::ChangesSince(int64_t revision, const std::string& resource,
                                                             size_t max) const {
  const base::MutexLock lock(mutex_);
  if (revision < history_begin_ || revision > revision_) {
    return std::unexpected(base::OutOfRange("too old resource version: " + std::to_string(revision) + " (" +
                                            std::to_string(revision > revision_ ? revision_ : history_begin_) + ")"));
  }
  Changes found{.changes = {}, .revision = revision_};
  auto it =
      std::ranges::upper_bound(history_, revision, {}, [](const Change& change) { return change.object->revision; });
  for (; it != history_.end(); ++it) {
    if (!resource.empty() && it->object->key.resource != resource) continue;
    if (found.changes.size() == max) {
      found.revision = found.changes.back().object->revision;
      break;
    }
    found.changes.push_back(*it);
  }
  return found;
}

bool ObjectStore::Keeps(int64_t revision) const {
  const base::MutexLock lock(mutex_);
  return revision >= history_begin_ && revision <= revision_;
}

uint64_t ObjectStore::Subscribe(std::function<void()> on_change) {
  const base::MutexLock lock(subscribers_mutex_);
  subscribers_.emplace(next_subscriber_, std::move(on_change));
  return next_subscriber_++;
}

void ObjectStore::Unsubscribe(uint64_t id) {
  const base::MutexLock lock(subscribers_mutex_);
  subscribers_.erase(id);
}

void ObjectStore::Notify() {
  const base::MutexLock lock(subscribers_mutex_);
  for (const auto& [id, on_change] : subscribers_) {
    try {
      on_change();
    } catch (const std::bad_alloc&) {
      // It learns of the next change.
    }
  }
}

}  // namespace inferd::apiserver
