#pragma once

#include <cstddef>
#include <memory>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::enginekit {

// Records `status`, which is not OK, and returns its code.
inline int32_t SetError(const inferd_host* host, inferd_error* error, const base::Status& status) {
  host->set_error(error, static_cast<int32_t>(status.code()), {status.message().data(), status.message().size()});
  return static_cast<int32_t>(status.code());
}

// The ABI's functions over an engine written as classes:
//
//   class Engine {
//     using Model = ...;     const inferd_signature* signature() const;
//     using Instance = ...;  base::Status Execute(const inferd_batch&);  answers all requests, or says what their
//     answer is static base::Result<std::unique_ptr<Engine>> Start(const inferd_host*); const inferd_host* host()
//     const; const char* name(), version(), default_model_filename() const; base::Result<std::unique_ptr<Model>>
//     Load(const inferd_load&); base::Result<std::unique_ptr<Instance>> CreateInstance(Model*);
//   };
//
// Where Model has other_signature(size_t number) const, CreateInstance takes the signature's number behind the model.
// Model may have base::Result<size_t> OpenSignature(const inferd_graph_call&), which gives such a number.
//
// One engine per process, which lives as long as the process.
template <typename Engine>
class EngineTable final {
 public:
  using Model = typename Engine::Model;
  using Instance = typename Engine::Instance;

  // For inferd_engine_v1. Null after the error is set.
  static const inferd_engine* Open(const inferd_host* host, inferd_error* error) {
    if (engine_ != nullptr) return &table_;
    auto started = Engine::Start(host);
    if (!started) {
      SetError(host, error, started.error());
      return nullptr;
    }
    engine_ = started->release();
    table_ = {sizeof(inferd_engine),
              INFERD_ENGINE_ABI_VERSION,
              engine_->name(),
              engine_->version(),
              engine_->default_model_filename(),
              Load,
              Unload,
              Signature,
              CreateInstance,
              DestroyInstance,
              Execute,
              OtherSignature,
              kHasGraph ? OpenSignature : nullptr};
    return &table_;
  }

 private:
  static constexpr bool kHasOthers = requires(Model* model) { model->other_signature(size_t{1}); };

  static constexpr bool kHasGraph =
      requires(Model* model, const inferd_graph_call& call) { model->OpenSignature(call); };

  static Model* ToModel(inferd_model* model) { return reinterpret_cast<Model*>(model); }
  static Instance* ToInstance(inferd_instance* instance) { return reinterpret_cast<Instance*>(instance); }

  static int32_t Load(const inferd_load* load, inferd_model** model, inferd_error* error) {
    auto loaded = engine_->Load(*load);
    if (!loaded) return SetError(engine_->host(), error, loaded.error());
    *model = reinterpret_cast<inferd_model*>(loaded->release());
    return INFERD_OK;
  }

  static void Unload(inferd_model* model) { delete ToModel(model); }

  static const inferd_signature* Signature(inferd_model* model) { return ToModel(model)->signature(); }

  static const inferd_signature* OtherSignature(inferd_model* model, size_t number) {
    if constexpr (kHasOthers) {
      return ToModel(model)->other_signature(number);
    } else {
      return nullptr;
    }
  }

  static int32_t OpenSignature(inferd_model* model, const inferd_graph_call* call, const inferd_signature** signature,
                               size_t* number, inferd_error* error) {
    if constexpr (kHasGraph) {
      const auto opened = ToModel(model)->OpenSignature(*call);
      if (!opened) return SetError(engine_->host(), error, opened.error());
      *number = *opened;
      *signature = ToModel(model)->other_signature(*opened);
      return INFERD_OK;
    } else {
      return INFERD_UNIMPLEMENTED;
    }
  }

  static auto Create(Model* model, size_t signature) {
    if constexpr (kHasOthers) {
      return engine_->CreateInstance(model, signature);
    } else {
      return engine_->CreateInstance(model);
    }
  }

  static int32_t CreateInstance(inferd_model* model, const inferd_instance_spec* spec, inferd_instance** instance,
                                inferd_error* error) {
    auto created =
        Create(ToModel(model), INFERD_HAS_FIELD(inferd_instance_spec, spec, signature) ? spec->signature : 0);
    if (!created) return SetError(engine_->host(), error, created.error());
    *instance = reinterpret_cast<inferd_instance*>(created->release());
    return INFERD_OK;
  }

  static void DestroyInstance(inferd_instance* instance) { delete ToInstance(instance); }

  static int32_t Execute(inferd_instance* instance, const inferd_batch* batch, inferd_error* error) {
    const base::Status status = ToInstance(instance)->Execute(*batch);
    if (status.ok()) return INFERD_FINISHED;
    SetError(engine_->host(), error, status);
    return INFERD_FAILED;
  }

  static inline Engine* engine_ = nullptr;  // set once, before anything else is called
  static inline inferd_engine table_ = {};
};

}  // namespace inferd::enginekit
