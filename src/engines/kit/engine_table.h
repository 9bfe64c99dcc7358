#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::kit {

// Records `status`, which must not be OK, and returns its code.
inline int32_t SetError(const inferd_host* host, inferd_error* error, const base::Status& status) {
  host->set_error(error, static_cast<int32_t>(status.code()), {status.message().data(), status.message().size()});
  return static_cast<int32_t>(status.code());
}

// The state of an execution when the engine returns.
enum class Progress {
  kFinished,  // every request was answered
  kPending,   // the engine calls inferd_host.finish later, or did so already, on any thread
};

// The ABI's functions for an engine that is written as classes:
//
//   class Engine {
//     using Model = ...;
//     using Instance = ...;
//     static base::Result<std::unique_ptr<Engine>> Start(const inferd_host*);
//     const inferd_host* host() const;
//     const char* name() const;  // so are version() and default_model_filename()
//     base::Result<std::unique_ptr<Model>> Load(const inferd_load&);
//     base::Result<std::unique_ptr<Instance>> CreateInstance(Model*);
//   };
//
//   Model:     const inferd_signature* signature() const;
//   Instance:  base::Status Execute(const inferd_batch&);            answers all requests, or says what their answer is
//         or:  base::Result<Progress> Execute(const inferd_batch&);  or answers later
//
// If Model has other_signature(size_t number) const, CreateInstance also takes the signature's number. With any Model
// it may instead take the whole const inferd_instance_spec&, which has the instance's device. Engine may have const
// inferd_device_memory* device_memory() const. Instance may have base::Status AllocateInput(uint32_t input, size_t
// size, inferd_input_memory*); after any error the host uses its own memory. Model may have base::Result<size_t>
// OpenSignature(const inferd_graph_call&), which returns such a number, and base::Status CheckReady(). Exceptions in
// Load, OpenSignature, CreateInstance, Execute and CheckReady become errors; the other functions must not throw.
//
// There is one engine per process, and it lives as long as the process.
template <typename Engine>
class EngineTable final {
 public:
  using Model = typename Engine::Model;
  using Instance = typename Engine::Instance;

  // For inferd_engine_v1. Null if it has set the error.
  static const inferd_engine* Open(const inferd_host* host, inferd_error* error) {
    if (engine_ != nullptr) return &table_;
    const int32_t code = Guard(host, error, [&] {
      auto started = Engine::Start(host);
      if (!started) return started.error();
      engine_ = started->release();
      return base::OkStatus();
    });
    if (code != INFERD_OK) return nullptr;
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
              kHasGraph ? OpenSignature : nullptr,
              DeviceMemory(),
              kGivesInputs ? AllocateInput : nullptr,
              kChecksReadiness ? CheckReady : nullptr};
    return &table_;
  }

 private:
  static constexpr bool kHasOthers = requires(Model* model) { model->other_signature(size_t{1}); };

  static constexpr bool kHasGraph =
      requires(Model* model, const inferd_graph_call& call) { model->OpenSignature(call); };

  static constexpr bool kTakesSpec =
      requires(Engine* engine, Model* model, const inferd_instance_spec& spec) { engine->CreateInstance(model, spec); };

  static constexpr bool kGivesInputs =
      requires(Instance* instance, inferd_input_memory* memory) { instance->AllocateInput(0, 0, memory); };

  static constexpr bool kChecksReadiness = requires(Model* model) { model->CheckReady(); };

  static const inferd_device_memory* DeviceMemory() {
    if constexpr (requires { engine_->device_memory(); }) {
      return engine_->device_memory();
    } else {
      return nullptr;
    }
  }

  static Model* ToModel(inferd_model* model) { return reinterpret_cast<Model*>(model); }
  static Instance* ToInstance(inferd_instance* instance) { return reinterpret_cast<Instance*>(instance); }

  static std::string Name() {
    return engine_ == nullptr ? "the engine" : "engine '" + std::string(engine_->name()) + "'";
  }

  // The host may be in another language: no exception may reach it.
  template <typename Function>
  static int32_t Guard(const inferd_host* host, inferd_error* error, const Function& function) {
    base::Status status;
    try {
      status = function();
    } catch (const std::bad_alloc&) {
      status = base::ResourceExhausted("the server has no memory for it");
    } catch (const std::exception& exception) {
      status = base::Internal(Name() + " threw an exception: " + exception.what());
    } catch (...) {
      status = base::Internal(Name() + " threw an exception");
    }
    return status.ok() ? INFERD_OK : SetError(host, error, status);
  }

  static int32_t Load(const inferd_load* load, inferd_model** model, inferd_error* error) {
    return Guard(engine_->host(), error, [&] {
      auto loaded = engine_->Load(*load);
      if (!loaded) return loaded.error();
      *model = reinterpret_cast<inferd_model*>(loaded->release());
      return base::OkStatus();
    });
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
      return Guard(engine_->host(), error, [&] {
        const auto opened = ToModel(model)->OpenSignature(*call);
        if (!opened) return opened.error();
        *number = *opened;
        *signature = ToModel(model)->other_signature(*opened);
        return base::OkStatus();
      });
    } else {
      return INFERD_UNIMPLEMENTED;
    }
  }

  static auto Create(Model* model, const inferd_instance_spec& spec) {
    if constexpr (kTakesSpec) {
      return engine_->CreateInstance(model, spec);
    } else if constexpr (kHasOthers) {
      return engine_->CreateInstance(model,
                                     INFERD_HAS_FIELD(inferd_instance_spec, &spec, signature) ? spec.signature : 0);
    } else {
      return engine_->CreateInstance(model);
    }
  }

  static int32_t CreateInstance(inferd_model* model, const inferd_instance_spec* spec, inferd_instance** instance,
                                inferd_error* error) {
    return Guard(engine_->host(), error, [&] {
      auto created = Create(ToModel(model), *spec);
      if (!created) return created.error();
      *instance = reinterpret_cast<inferd_instance*>(created->release());
      return base::OkStatus();
    });
  }

  static void DestroyInstance(inferd_instance* instance) { delete ToInstance(instance); }

  static int32_t Execute(inferd_instance* instance, const inferd_batch* batch, inferd_error* error) {
    Progress progress = Progress::kFinished;
    const int32_t code = Guard(engine_->host(), error, [&] {
      auto executed = ToInstance(instance)->Execute(*batch);
      if constexpr (std::is_same_v<decltype(executed), base::Status>) {
        return executed;
      } else {
        if (executed) progress = *executed;
        return executed ? base::OkStatus() : executed.error();
      }
    });
    if (code != INFERD_OK) return INFERD_FAILED;
    return progress == Progress::kPending ? INFERD_PENDING : INFERD_FINISHED;
  }

  static int32_t AllocateInput(inferd_instance* instance, uint32_t input, size_t size, inferd_input_memory* memory) {
    if constexpr (kGivesInputs) {
      try {
        return static_cast<int32_t>(ToInstance(instance)->AllocateInput(input, size, memory).code());
      } catch (const std::exception&) {
        return INFERD_RESOURCE_EXHAUSTED;
      }
    } else {
      return INFERD_UNIMPLEMENTED;
    }
  }

  static int32_t CheckReady(inferd_model* model, inferd_error* error) {
    if constexpr (kChecksReadiness) {
      return Guard(engine_->host(), error, [&] { return ToModel(model)->CheckReady(); });
    } else {
      return INFERD_UNIMPLEMENTED;
    }
  }

  static inline Engine* engine_ = nullptr;  // set once, before anything else is called
  static inline inferd_engine table_ = {};
};

}  // namespace inferd::kit
