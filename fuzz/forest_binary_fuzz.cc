// Fuzzes XGBoost models in the old binary format. Every model that the reader accepts must be evaluable.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engines/forest/readers/xgboost_binary.h"
#include "fuzz/forest_rows.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  inferd::fuzz::AskForest(inferd::forest::ReadXgboostBinary(content));
  return 0;
}
