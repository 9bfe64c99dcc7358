#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace inferd::bench {

// The part of the XGBoost library that predictions need, on one thread. Any failure ends the program.
class XgboostLibrary final {
 public:
  // Loads `model`. `library` is the path of libxgboost.so in the package xgboost-cpu.
  XgboostLibrary(const std::filesystem::path& library, const std::filesystem::path& model);
  ~XgboostLibrary();
  XgboostLibrary(const XgboostLibrary&) = delete;
  XgboostLibrary& operator=(const XgboostLibrary&) = delete;

  // Returns the predictions for contiguous rows. Valid until the next call.
  const float* Predict(const float* rows, size_t count, size_t features);

 private:
  // The functions of xgboost/c_api.h, declared anew. Handles are pointers, and every function returns 0 on success.
  using Handle = void*;
  struct Functions {
    int (*create)(const Handle* data, uint64_t data_count, Handle* booster);
    int (*load)(Handle booster, const char* path);
    int (*set_param)(Handle booster, const char* name, const char* value);
    int (*create_proxy)(Handle* proxy);
    int (*predict)(Handle booster, const char* values, const char* config, Handle proxy, const uint64_t** shape,
                   uint64_t* dims, const float** result);
    const char* (*last_error)();
  };

  void Check(int result) const;

  Functions functions_ = {};
  Handle booster_ = nullptr;
  Handle proxy_ = nullptr;
};

}  // namespace inferd::bench
