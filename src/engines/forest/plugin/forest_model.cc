#include "engines/forest/plugin/forest_model.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/system/allocator.h"
#include "engines/forest/readers/read_forest.h"
#include "engines/kit/compute_threads.h"
#include "engines/kit/parameters.h"

namespace inferd::forest {

namespace {

// Evaluates rows as doubles only if the request has doubles and the forest distinguishes them.
Precision EvaluatedPrecision(const Forest& forest, const ForestSignature& signature) {
  const bool doubles = signature.input_datatype() == INFERD_TYPE_FP64 && forest.compares == Precision::kFloat64;
  return doubles ? Precision::kFloat64 : Precision::kFloat32;
}

constexpr uintmax_t kLargeFileBytes = 1 << 20;

// Frees the nodes, of which the evaluator has its own layout. They take three times as much memory.
void DropNodes(Forest* forest) {
  for (Tree& tree : forest->trees) {
    tree.nodes = std::vector<Node>();  // with its memory
    tree.leaf_values = std::vector<double>();
    tree.sets = std::vector<CategorySet>();
  }
}

}  // namespace

base::Result<std::unique_ptr<ForestModel>> ForestModel::Load(const inferd_host& host, const inferd_load& load) {
  const std::filesystem::path path(kit::ToView(load.model_file));
  INFERD_ASSIGN_OR_RETURN(Forest read, ReadForestFile(path));
  const auto forest = std::make_shared<Forest>(std::move(read));
  const int threads = kit::ComputeThreads(load, path);
  INFERD_ASSIGN_OR_RETURN(ForestSignature signature, ForestSignature::Create(*forest, load, threads));
  std::unique_ptr<const Contributions> contributions;
  if (signature.Has(OutputKind::kContributions)) {
    auto created = Contributions::Create(forest);
    if (!created) return std::unexpected(created.error().WithContext("model file '" + path.string() + "'"));
    contributions = *std::move(created);
  }
  auto model = std::unique_ptr<ForestModel>(
      new ForestModel(host, forest, std::move(signature), std::move(contributions), load, threads));
  // Returns the reader's memory to the system. For small files this is not worth the walk.
  std::error_code error;
  if (const auto size = std::filesystem::file_size(path, error); !error && size >= kLargeFileBytes)
    base::ReturnFreeMemory();
  return model;
}

ForestModel::ForestModel(const inferd_host& host, const std::shared_ptr<Forest>& forest, ForestSignature signature,
                         std::unique_ptr<const Contributions> contributions, const inferd_load& load, int threads)
    : host_(host),
      forest_(forest),
      signature_(std::move(signature)),
      features_(forest_->feature_names, static_cast<size_t>(forest_->features)),
      evaluated_(EvaluatedPrecision(*forest_, signature_)),
      evaluator_(Evaluator::Create(forest_, evaluated_)),
      contributions_(std::move(contributions)),
      threads_(load, threads) {
  if (contributions_ == nullptr) DropNodes(forest.get());
}

}  // namespace inferd::forest
