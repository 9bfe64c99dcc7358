#include "bench/forest/xgboost_library.h"

#include <dlfcn.h>

#include "bench/engine_call/require.h"

namespace inferd::bench {

namespace {

template <typename Function>
void Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  Require(*function != nullptr, std::string("the XGBoost library has no ") + name);
}

}  // namespace

XgboostLibrary::XgboostLibrary(const std::filesystem::path& library, const std::filesystem::path& model) {
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  Require(opened != nullptr, opened == nullptr ? dlerror() : "");
  Find(opened, "XGBoosterCreate", &functions_.create);
  Find(opened, "XGBoosterLoadModel", &functions_.load);
  Find(opened, "XGBoosterSetParam", &functions_.set_param);
  Find(opened, "XGProxyDMatrixCreate", &functions_.create_proxy);
  Find(opened, "XGBoosterPredictFromDense", &functions_.predict);
  Find(opened, "XGBGetLastError", &functions_.last_error);
  Check(functions_.create(nullptr, 0, &booster_));
  Check(functions_.load(booster_, model.c_str()));
  Check(functions_.set_param(booster_, "nthread", "1"));
  Check(functions_.create_proxy(&proxy_));
}

// Frees nothing: the library's objects live until the process ends.
XgboostLibrary::~XgboostLibrary() = default;

const float* XgboostLibrary::Predict(const float* rows, size_t count, size_t features) {
  const std::string values = R"({"data":[)" + std::to_string(reinterpret_cast<uintptr_t>(rows)) +
                             R"(,true],"shape":[)" + std::to_string(count) + "," + std::to_string(features) +
                             R"(],"typestr":"<f4","version":3})";
  const char* const config =
      R"({"type":0,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":true,"cache_id":0,"missing":NaN})";
  const uint64_t* shape = nullptr;
  uint64_t dims = 0;
  const float* result = nullptr;
  Check(functions_.predict(booster_, values.c_str(), config, proxy_, &shape, &dims, &result));
  return result;
}

void XgboostLibrary::Check(int result) const { Require(result == 0, functions_.last_error()); }

}  // namespace inferd::bench
