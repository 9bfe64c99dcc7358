#include "engines/forest/readers/read_forest.h"

#include <string>

#include "base/system/regular_file.h"
#include "engines/forest/model/check_forest.h"
#include "engines/forest/readers/document.h"
#include "engines/forest/readers/lightgbm_text.h"
#include "engines/forest/readers/treelite_checkpoint.h"
#include "engines/forest/readers/xgboost_binary.h"
#include "engines/forest/readers/xgboost_document.h"

namespace inferd::forest {

namespace {

base::Result<Forest> ReadDocument(base::Result<Document> document) {
  if (!document) return std::unexpected(document.error());
  if (!IsXgboostDocument(*document)) {
    return std::unexpected(base::InvalidArgument("it is no model of XGBoost: it has no 'learner.gradient_booster'"));
  }
  return ReadXgboostDocument(*document);
}

// In JSON, an object's brace is followed by white space, a key or its end; in UBJSON, by the type of a key's length.
bool IsJson(std::string_view content) {
  const size_t brace = content.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || content[brace] != '{') return false;
  const size_t next = content.find_first_not_of(" \t\r\n", brace + 1);
  return next == std::string_view::npos || content[next] == '"' || content[next] == '}';
}

base::Result<Forest> ReadUnchecked(std::string_view content) {
  if (IsJson(content)) return ReadDocument(ParseJson(content));
  if (content.starts_with('{')) return ReadDocument(ParseUbjson(content));
  if (IsLightGbmText(content)) return ReadLightGbmText(content);
  if (IsXgboostBinary(content)) return ReadXgboostBinary(content);
  if (IsTreeliteCheckpoint(content)) return ReadTreeliteCheckpoint(content);
  return std::unexpected(base::InvalidArgument(
      "it is none of the formats that are read here: XGBoost's JSON, UBJSON and old binary, LightGBM's text, and "
      "treelite's checkpoint"));
}

}  // namespace

base::Result<Forest> ReadForest(std::string_view content) {
  INFERD_ASSIGN_OR_RETURN(Forest forest, ReadUnchecked(content));
  INFERD_RETURN_IF_ERROR(CheckForest(forest));
  return forest;
}

base::Result<Forest> ReadForestFile(const std::filesystem::path& path) {
  INFERD_ASSIGN_OR_RETURN(const std::string content, base::ReadRegularFile(path.string(), kFileBytesMax));
  auto forest = ReadForest(content);
  if (!forest) return std::unexpected(forest.error().WithContext("model file '" + path.string() + "'"));
  return forest;
}

}  // namespace inferd::forest
