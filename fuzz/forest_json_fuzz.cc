// Fuzzes XGBoost models in JSON. Every model that the reader accepts must be evaluable.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engines/forest/readers/document.h"
#include "engines/forest/readers/xgboost_document.h"
#include "fuzz/forest_rows.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  if (const auto document = inferd::forest::ParseJson(content)) {
    inferd::fuzz::AskForest(inferd::forest::ReadXgboostDocument(*document));
  }
  return 0;
}
