#include "engines/kit/engine_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace inferd::kit {
namespace {

// The host's side, as far as the table needs it.
struct Failure {
  int32_t code = INFERD_OK;
  std::string message;
};

void SetFailure(inferd_error* error, int32_t code, inferd_text message) {
  *reinterpret_cast<Failure*>(error) = {code, std::string(message.data, message.size)};
}

inferd_host MakeHost() {
  inferd_host host = {};
  host.struct_size = sizeof(host);
  host.set_error = SetFailure;
  return host;
}

// The behaviour of the functions of the engine below, selected by a batch's number of requests, or a load's version.
enum What : size_t { kSucceeds, kFails, kThrows, kThrowsNoException, kIsOutOfMemory, kAnswersLater };

base::Status Do(size_t what) {
  switch (what) {
    case kFails: return base::InvalidArgument("wrong");
    case kThrows: throw std::runtime_error("broken");
    case kThrowsNoException: throw 7;
    case kIsOutOfMemory: throw std::bad_alloc();
    default: return base::OkStatus();
  }
}

struct ToyInstance {
  base::Result<Progress> Execute(const inferd_batch& batch) {
    if (const base::Status status = Do(batch.request_count); !status.ok()) return std::unexpected(status);
    return batch.request_count == kAnswersLater ? Progress::kPending : Progress::kFinished;
  }
};

struct ToyModel {
  const inferd_signature* signature() const { return nullptr; }
  int64_t version = 0;
};

class ToyEngine {
 public:
  using Model = ToyModel;
  using Instance = ToyInstance;

  static base::Result<std::unique_ptr<ToyEngine>> Start(const inferd_host* host) {
    auto engine = std::make_unique<ToyEngine>();
    engine->host_ = host;
    return engine;
  }
  const inferd_host* host() const { return host_; }
  const char* name() const { return "toy"; }
  const char* version() const { return "1"; }
  const char* default_model_filename() const { return ""; }
  base::Result<std::unique_ptr<ToyModel>> Load(const inferd_load& load) {
    if (const base::Status status = Do(static_cast<size_t>(load.version)); !status.ok()) return std::unexpected(status);
    return std::make_unique<ToyModel>(ToyModel{load.version});
  }
  base::Result<std::unique_ptr<ToyInstance>> CreateInstance(ToyModel*) { return std::make_unique<ToyInstance>(); }

 private:
  const inferd_host* host_ = nullptr;
};

class EngineTableTest : public ::testing::Test {
 protected:
  static const inferd_engine& Table() {
    static const inferd_host host = MakeHost();
    return *EngineTable<ToyEngine>::Open(&host, nullptr);
  }
  inferd_error* error() { return reinterpret_cast<inferd_error*>(&failure_); }
  inferd_model* Load(int64_t version) {
    inferd_load load = {};
    load.struct_size = sizeof(load);
    load.version = version;
    inferd_model* model = nullptr;
    code_ = Table().load(&load, &model, error());
    return model;
  }
  // Returns the result of execute().
  int32_t Execute(What what) {
    inferd_model* const model = Load(0);
    inferd_instance_spec spec = {};
    spec.struct_size = sizeof(spec);
    inferd_instance* instance = nullptr;
    EXPECT_EQ(Table().create_instance(model, &spec, &instance, error()), INFERD_OK);
    inferd_batch batch = {};
    batch.struct_size = sizeof(batch);
    batch.request_count = what;
    const int32_t result = Table().execute(instance, &batch, error());
    Table().destroy_instance(instance);
    Table().unload(model);
    return result;
  }

  Failure failure_;
  int32_t code_ = INFERD_OK;
};

TEST_F(EngineTableTest, ExecutionsEndNowOrLater) {
  EXPECT_EQ(Execute(kSucceeds), INFERD_FINISHED);
  EXPECT_EQ(Execute(kAnswersLater), INFERD_PENDING);
  EXPECT_EQ(failure_.code, INFERD_OK);
}

TEST_F(EngineTableTest, FailuresAndExceptionsAreErrors) {
  EXPECT_EQ(Execute(kFails), INFERD_FAILED);
  EXPECT_EQ(failure_.code, INFERD_INVALID_ARGUMENT);
  EXPECT_EQ(failure_.message, "wrong");
  EXPECT_EQ(Execute(kThrows), INFERD_FAILED);
  EXPECT_EQ(failure_.code, INFERD_INTERNAL);
  EXPECT_EQ(failure_.message, "engine 'toy' threw an exception: broken");
  EXPECT_EQ(Execute(kThrowsNoException), INFERD_FAILED);
  EXPECT_EQ(failure_.message, "engine 'toy' threw an exception");
  EXPECT_EQ(Execute(kIsOutOfMemory), INFERD_FAILED);
  EXPECT_EQ(failure_.code, INFERD_RESOURCE_EXHAUSTED);
}

TEST_F(EngineTableTest, SoAreThoseOfALoad) {
  inferd_model* const model = Load(kSucceeds);
  EXPECT_EQ(code_, INFERD_OK);
  Table().unload(model);
  for (const What what : {kFails, kThrows, kThrowsNoException, kIsOutOfMemory}) {
    failure_ = {};
    EXPECT_EQ(Load(what), nullptr);
    EXPECT_EQ(code_, failure_.code);
    EXPECT_NE(code_, INFERD_OK);
  }
}

}  // namespace
}  // namespace inferd::kit
