#include "serving/core/model/readiness_probe.h"

#include <system_error>
#include <utility>

#include "base/thread_pool.h"

namespace inferd::core {

ReadinessProbe::ReadinessProbe(ReadinessCheck check, std::string title, base::Logger* logger)
    : check_(std::move(check)), title_(std::move(title)), logger_(logger) {}

ReadinessProbe::~ReadinessProbe() {
  std::vector<ControlCallback> left;
  std::thread thread;
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
    left.swap(waiting_);
    thread = std::move(thread_);
    changed_.NotifyAll();
  }
  for (ControlCallback& done : left) done(base::Unavailable("the model is being unloaded"));
  if (thread.joinable()) thread.join();
}

void ReadinessProbe::Ask(ControlCallback done) {
  {
    const base::MutexLock lock(mutex_);
    try {
      if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
      waiting_.push_back(std::move(done));
      changed_.NotifyAll();
      return;
    } catch (const std::system_error&) {
    }
  }
  done(base::Unavailable("there is no thread to ask the model on"));
}

void ReadinessProbe::Run() {
  base::SetThreadName("ready " + title_);
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    if (waiting_.empty()) {
      changed_.Wait(mutex_);
      continue;
    }
    lock.unlock();
    const base::Status said = check_();
    const base::Status answer = said.ok() ? said : base::Unavailable(said.message());
    Note(answer);
    lock.lock();
    std::vector<ControlCallback> answered;
    answered.swap(waiting_);
    lock.unlock();
    for (ControlCallback& done : answered) done(answer);
    lock.lock();
  }
}

// Logs changes only, as probes come every few seconds.
void ReadinessProbe::Note(const base::Status& answer) {
  const base::Status before = std::exchange(last_, answer);
  if (logger_ == nullptr || before == answer) return;
  if (answer.ok()) {
    logger_->Info("the model says that it is ready again", {{"model", title_}});
  } else {
    logger_->Warning("the model says that it is not ready", {{"model", title_}, {"reason", answer.message()}});
  }
}

}  // namespace inferd::core
