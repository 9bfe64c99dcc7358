#include "serving/core/model_version.h"

#include <algorithm>

namespace inferd::core {

namespace {

bool HasAlternatives(const ModelSignature* signature) {
  return signature != nullptr && (std::ranges::any_of(signature->inputs, &TensorSpec::alternative) ||
                                  std::ranges::any_of(signature->outputs, &TensorSpec::alternative));
}

}  // namespace

ModelVersion::ModelVersion(Parts parts)
    : parts_(std::move(parts)), signatures_{parts_.signature.get()}, version_text_(std::to_string(parts_.id.version)) {
  if (HasAlternatives(parts_.signature.get())) {
    shown_signature_ = parts_.signature->Shown();
    signatures_.front() = &*shown_signature_;
  }
  for (const Function& other : parts_.others) signatures_.push_back(other.signature.get());
  for (const ModelSignature& signature : parts_.shown) shown_.push_back(&signature);
}

ModelVersion::~ModelVersion() = default;

std::shared_ptr<const ModelVersion> ModelVersion::Create(Parts parts, base::Executor& retire, base::Task gone) {
  // The task owns the version, which is therefore destroyed even if the executor stops before it runs the task.
  auto deleter = [&retire, gone = std::make_shared<base::Task>(std::move(gone))](const ModelVersion* version) {
    // `gone` is moved out, as the deleter lives for as long as an old snapshot has a weak reference to the version.
    retire.Post([owned = std::unique_ptr<const ModelVersion>(version), task = std::move(*gone)]() mutable {
      owned.reset();
      if (task) task();
    });
  };
  return std::shared_ptr<const ModelVersion>(new ModelVersion(std::move(parts)), std::move(deleter));
}

void ModelVersion::CountRefused(int64_t total_ns, int64_t rows) const {
  parts_.statistics->RecordFailure(FailureReason::kRejected, total_ns, rows);
}

}  // namespace inferd::core
