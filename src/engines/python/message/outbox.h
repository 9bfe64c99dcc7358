#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/system/file_descriptor.h"
#include "engines/python/message/marshal_writer.h"

namespace inferd::python {

// Messages for a worker from other threads, for the thread that talks with the worker. Thread-safe.
class Outbox final {
 public:
  // RESOURCE_EXHAUSTED if the system has no file to wake that thread.
  static base::Result<std::shared_ptr<Outbox>> Create();
  explicit Outbox(base::FileDescriptor wake) : wake_(std::move(wake)) {}

  struct Item {
    MarshalWriter message;
    uint64_t resumed = 0;  // the execution whose response was held up; 0 if none
  };
  void Push(MarshalWriter message, uint64_t resumed = 0);
  std::vector<Item> TakeAll();

  // Readable once there are messages, or after Wake(), until Drain(). Call TakeAll() after Drain().
  int descriptor() const { return wake_.get(); }
  void Wake();
  void Drain();
  // Blocks until it is readable, `patience` at most.
  void Await(std::chrono::milliseconds patience) const;

 private:
  const base::FileDescriptor wake_;
  base::Mutex mutex_;
  std::vector<Item> messages_ GUARDED_BY(mutex_);
};

}  // namespace inferd::python
