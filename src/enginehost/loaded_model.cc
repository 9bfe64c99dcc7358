#include "enginehost/loaded_model.h"

#include <bit>

#include "enginehost/abi_values.h"

namespace inferd::enginehost {

namespace {

constexpr size_t kAlignmentMax = 4096;

base::Result<InputWish> ToWish(const inferd_tensor_spec& spec) {
  InputWish wish;
  wish.alignment = std::max<size_t>(spec.alignment, 1);
  if (!std::has_single_bit(wish.alignment) || wish.alignment > kAlignmentMax) {
    return std::unexpected(base::Internal("input '" + std::string(ToView(spec.name)) + "' asks for an alignment of " +
                                          std::to_string(wish.alignment) + ", which is no power of two up to 4096"));
  }
  wish.elements = spec.datatype == INFERD_TYPE_BYTES && spec.bytes_form == INFERD_BYTES_ELEMENTS;
  wish.one_piece = spec.one_piece != 0;
  return wish;
}

}  // namespace

base::Result<std::shared_ptr<const LoadedModel>> LoadedModel::Take(OpenedEngine* engine, inferd_model* model,
                                                                   const core::LoadSpec& spec, int cpu_threads) {
  std::shared_ptr<LoadedModel> loaded(new LoadedModel(engine, model));
  const int max_batch_size = spec.config ? spec.config->max_batch_size : 0;
  if (base::Status status = loaded->ReadSignature(max_batch_size, cpu_threads); !status.ok()) {
    return std::unexpected(loaded->Fault("describes the model wrongly: " + status.message()));
  }
  return loaded;
}

LoadedModel::~LoadedModel() { engine_->table->unload(model_); }

base::Status LoadedModel::Fault(std::string_view what) const {
  return base::Internal("engine '" + engine_->name + "' " + std::string(what));
}

base::Status LoadedModel::ReadSignature(int max_batch_size, int cpu_threads) {
  const inferd_signature* abi = table().signature(model_);
  if (abi == nullptr) return base::Internal("no signature");
  INFERD_ASSIGN_OR_RETURN(signature_, ToSignature(*abi));
  signature_.max_batch_size = max_batch_size;
  for (size_t i = 0; i < abi->input_count; ++i) {
    INFERD_ASSIGN_OR_RETURN(const InputWish wish, ToWish(*abi->inputs[i]));
    wishes_.push_back(wish);
  }
  for (size_t i = 0; i < abi->significant_parameter_count; ++i) {
    significant_parameters_.emplace_back(ToView(abi->significant_parameters[i]));
  }
  const int compute_threads = INFERD_HAS_FIELD(inferd_signature, abi, compute_threads) ? abi->compute_threads : 0;
  if (compute_threads < -1) {
    return base::Internal("executions that keep " + std::to_string(compute_threads) + " threads busy");
  }
  compute_threads_ = compute_threads == 0 ? cpu_threads : std::max(compute_threads, 0);
  return base::OkStatus();
}

}  // namespace inferd::enginehost
