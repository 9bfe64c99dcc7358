#include "engines/python/python_instance.h"

#include <string>
#include <utility>

#include "engines/python/value_parts.h"

namespace inferd::python {

using enginekit::Progress;

base::Result<std::unique_ptr<PythonInstance>> PythonInstance::Create(PythonModel* model,
                                                                     const inferd_instance_spec& spec) {
  std::unique_ptr<PythonInstance> instance(new PythonInstance(model, spec));
  INFERD_RETURN_IF_ERROR(instance->StartWorker());
  return instance;
}

PythonInstance::~PythonInstance() {
  if (restarter_.joinable()) restarter_.join();
}

base::Status PythonInstance::StartWorker() {
  if (link_ != nullptr) left_.push_back(std::move(link_));
  std::erase_if(left_, [](const auto& link) { return link->idle(); });
  INFERD_ASSIGN_OR_RETURN(std::unique_ptr<WorkerLink> link, model_.TakeWorker());
  INFERD_RETURN_IF_ERROR(model_.StartInstance(*link, spec_));
  link_ = std::move(link);
  return base::OkStatus();
}

base::Result<Progress> PythonInstance::Execute(const inferd_batch& batch) {
  if (Queue(batch)) return Progress::kPending;
  if (link_ != nullptr) {
    auto progress = link_->Execute(batch);
    if (progress.has_value() || progress.error().code() != base::StatusCode::kUnavailable) return progress;
  }
  Restart(batch);
  return Progress::kPending;
}

bool PythonInstance::Queue(const inferd_batch& batch) {
  const base::MutexLock lock(mutex_);
  if (restarting_) queue_.push_back(&batch);
  return restarting_;
}

void PythonInstance::Restart(const inferd_batch& batch) {
  if (restarter_.joinable()) restarter_.join();  // its work is done
  {
    const base::MutexLock lock(mutex_);
    restarting_ = true;
    queue_.push_back(&batch);
  }
  restarter_ = std::thread([this] { RunQueue(); });
}

void PythonInstance::RunQueue() {
  const base::Status started = StartWorker();
  for (;;) {
    const inferd_batch* batch = nullptr;
    {
      const base::MutexLock lock(mutex_);
      restarting_ = !queue_.empty();
      if (!restarting_) return;
      batch = queue_.front();
      queue_.pop_front();
    }
    Run(*batch, started);
  }
}

void PythonInstance::Run(const inferd_batch& batch, const base::Status& started) {
  base::Status status = started;
  if (started.ok()) {
    const auto progress = link_->Execute(batch);
    if (progress.has_value()) {
      if (*progress == Progress::kFinished) model_.host().finish(&batch);
      return;
    }
    status = progress.error();
  } else {
    status = base::Unavailable("the Python process of instance '" + model_.InstanceName(spec_) +
                               "' has ended, and another one cannot be started: " + std::string(started.message()));
  }
  inferd_response failure = {};
  failure.struct_size = sizeof(failure);
  failure.code = static_cast<int32_t>(status.code());
  failure.message = {status.message().data(), status.message().size()};
  failure.final = 1;
  model_.host().respond(&batch, INFERD_ALL_REQUESTS, &failure);
  model_.host().finish(&batch);
}

}  // namespace inferd::python
