#include "engines/forest/plugin/forest_model.h"

#include <filesystem>
#include <string>
#include <utility>

#include "enginekit/compute_threads.h"
#include "enginekit/parameters.h"
#include "engines/forest/readers/read_forest.h"

namespace inferd::forest {

namespace {

// Rows are evaluated as doubles only where the request has doubles, and the forest tells doubles apart.
Precision EvaluatedPrecision(const Forest& forest, const ForestSignature& signature) {
  const bool doubles = signature.input_datatype() == INFERD_TYPE_FP64 && forest.compares == Precision::kFloat64;
  return doubles ? Precision::kFloat64 : Precision::kFloat32;
}

}  // namespace

base::Result<std::unique_ptr<ForestModel>> ForestModel::Load(const inferd_host& host, const inferd_load& load) {
  const std::filesystem::path path(enginekit::ToView(load.model_file));
  INFERD_ASSIGN_OR_RETURN(Forest read, ReadForestFile(path));
  const auto forest = std::make_shared<const Forest>(std::move(read));
  const int threads = enginekit::ComputeThreads(load, path);
  INFERD_ASSIGN_OR_RETURN(ForestSignature signature, ForestSignature::Create(*forest, load, threads));
  std::unique_ptr<const Contributions> contributions;
  if (signature.Has(OutputKind::kContributions)) {
    auto created = Contributions::Create(forest);
    if (!created) return std::unexpected(created.error().WithContext("model file '" + path.string() + "'"));
    contributions = *std::move(created);
  }
  return std::unique_ptr<ForestModel>(
      new ForestModel(host, forest, std::move(signature), std::move(contributions), load, threads));
}

ForestModel::ForestModel(const inferd_host& host, std::shared_ptr<const Forest> forest, ForestSignature signature,
                         std::unique_ptr<const Contributions> contributions, const inferd_load& load, int threads)
    : host_(host),
      forest_(std::move(forest)),
      signature_(std::move(signature)),
      evaluated_(EvaluatedPrecision(*forest_, signature_)),
      evaluator_(Evaluator::Create(forest_, evaluated_)),
      contributions_(std::move(contributions)),
      threads_(load, threads) {}

}  // namespace inferd::forest
