#include "enginehost/compute_thread.h"

#include <deque>
#include <utility>

#include "base/memory_shortage.h"
#include "base/mutex.h"
#include "base/thread_pool.h"

namespace inferd::enginehost {

struct ComputeThread::Queue {
  base::Mutex mutex;
  base::CondVar changed;
  std::deque<base::Task> tasks GUARDED_BY(mutex);
  bool ended GUARDED_BY(mutex) = false;

  // Empty: there will be none.
  base::Task Next() EXCLUDES(mutex) {
    const base::MutexLock lock(mutex);
    while (tasks.empty() && !ended) changed.Wait(mutex);
    if (tasks.empty()) return nullptr;
    base::Task task = std::move(tasks.front());
    tasks.pop_front();
    return task;
  }
};

ComputeThread::ComputeThread(const std::string& name)
    : queue_(std::make_shared<Queue>()), thread_([queue = queue_, name] {
        base::SetThreadName(name);
        while (base::Task task = queue->Next()) base::RunUnlessOutOfMemory(task);
      }) {}

ComputeThread::~ComputeThread() {
  {
    const base::MutexLock lock(queue_->mutex);
    queue_->ended = true;
    queue_->changed.NotifyAll();
  }
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void ComputeThread::Post(base::Task task) {
  const base::MutexLock lock(queue_->mutex);
  queue_->tasks.push_back(std::move(task));
  queue_->changed.NotifyAll();
}

}  // namespace inferd::enginehost
