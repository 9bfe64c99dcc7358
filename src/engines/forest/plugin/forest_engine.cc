// The forest engine: trees of XGBoost, LightGBM and scikit-learn, evaluated by our own code.

#include <memory>

#include "engines/forest/plugin/forest_instance.h"
#include "engines/forest/plugin/forest_model.h"
#include "engines/kit/engine_table.h"
#include "inferd/engine_abi.h"

namespace inferd::forest {

namespace {

class ForestEngine final {
 public:
  using Model = ForestModel;
  using Instance = ForestInstance;

  explicit ForestEngine(const inferd_host* host) : host_(host) {}

  static base::Result<std::unique_ptr<ForestEngine>> Start(const inferd_host* host) {
    return std::make_unique<ForestEngine>(host);
  }

  const inferd_host* host() const { return host_; }
  const char* name() const { return "forest"; }
  const char* version() const { return "1"; }
  const char* default_model_filename() const { return "model.json"; }

  base::Result<std::unique_ptr<ForestModel>> Load(const inferd_load& load) { return ForestModel::Load(*host_, load); }
  base::Result<std::unique_ptr<ForestInstance>> CreateInstance(ForestModel* model) {
    return ForestInstance::Create(model);
  }

 private:
  const inferd_host* const host_;
};

}  // namespace

}  // namespace inferd::forest

const inferd_engine* inferd_engine_v1(const inferd_host* host, inferd_error* error) {
  return inferd::kit::EngineTable<inferd::forest::ForestEngine>::Open(host, error);
}
