#include "engines/python/python_instance.h"

#include <string>
#include <utility>

namespace inferd::python {

base::Result<std::unique_ptr<PythonInstance>> PythonInstance::Create(PythonModel* model,
                                                                     const inferd_instance_spec& spec) {
  std::unique_ptr<PythonInstance> instance(new PythonInstance(model, spec));
  INFERD_RETURN_IF_ERROR(instance->StartWorker());
  return instance;
}

base::Status PythonInstance::StartWorker() {
  if (link_ != nullptr) left_.push_back(std::move(link_));
  std::erase_if(left_, [](const auto& link) { return link->idle(); });
  INFERD_ASSIGN_OR_RETURN(std::unique_ptr<WorkerLink> link, model_.TakeWorker());
  INFERD_RETURN_IF_ERROR(model_.StartInstance(*link, spec_));
  link_ = std::move(link);
  return base::OkStatus();
}

base::Result<enginekit::Progress> PythonInstance::Execute(const inferd_batch& batch) {
  if (link_ == nullptr || link_->ended()) {
    if (const base::Status started = StartWorker(); !started.ok()) {
      return std::unexpected(
          base::Unavailable("the Python process of instance '" + model_.InstanceName(spec_) +
                            "' has ended, and another one cannot be started: " + std::string(started.message())));
    }
  }
  return link_->Execute(batch);
}

}  // namespace inferd::python
