#include "engines/onnxruntime/rewritten/mxnet_files.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "engines/onnxruntime/rewritten/model_file.h"
#include "engines/rewrite/mxnet/rewrite.h"

namespace inferd::onnxruntime {

namespace {

constexpr std::string_view kSymbolEnd = "-symbol.json";
constexpr std::string_view kParamsEnd = ".params";
constexpr int kEpochMax = 1'000'000'000;

// Returns 12 for "model-0012.params", whose symbol is "model-symbol.json". nullopt for other files.
std::optional<int> EpochOf(std::string_view filename, std::string_view prefix) {
  if (!filename.starts_with(prefix) || !filename.ends_with(kParamsEnd)) return std::nullopt;
  filename.remove_prefix(prefix.size());
  filename.remove_suffix(std::min(kParamsEnd.size(), filename.size()));
  if (!filename.starts_with('-')) return std::nullopt;
  int epoch = 0;
  const char* const last = filename.data() + filename.size();
  const auto [end, error] = std::from_chars(filename.data() + 1, last, epoch);
  if (error != std::errc() || end != last || epoch < 0 || epoch > kEpochMax) return std::nullopt;
  return epoch;
}

base::Result<std::optional<int>> WantedEpoch(const inferd_load& load) {
  std::optional<int> wanted;
  for (size_t i = 0; i < load.parameter_count; ++i) {
    const std::string_view key = kit::ToView(load.parameters[i].key);
    if (key != "epoch") continue;
    int epoch = 0;
    INFERD_RETURN_IF_ERROR(kit::ReadNumber(key, kit::ToView(load.parameters[i].value), 0, kEpochMax, &epoch));
    wanted = epoch;
  }
  return wanted;
}

base::Result<std::filesystem::path> FindParams(const std::filesystem::path& symbol, std::optional<int> wanted) {
  const std::string name = symbol.filename();
  const std::string prefix = name.ends_with(kSymbolEnd) ? name.substr(0, name.size() - kSymbolEnd.size()) : name;
  std::filesystem::path found;
  int found_epoch = -1;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(symbol.parent_path(), error)) {
    const auto epoch = EpochOf(entry.path().filename().native(), prefix);
    if (!epoch.has_value() || *epoch <= found_epoch || epoch != wanted.value_or(*epoch)) continue;
    found = entry.path();
    found_epoch = *epoch;
  }
  if (!found.empty()) return found;
  std::string digits = std::to_string(wanted.value_or(0));
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return std::unexpected(base::NotFound(name + " needs " + prefix + "-" + digits + ".params beside it" +
                                        (wanted.has_value() ? ", as the parameter 'epoch' says" : "")));
}

}  // namespace

bool IsMxnet(const inferd_load& load, const std::filesystem::path& file) {
  return kit::ToView(load.backend) == "mxnet" || file.native().ends_with(kSymbolEnd);
}

base::Result<std::string> ReadMxnet(const inferd_load& load, const std::filesystem::path& file) {
  INFERD_ASSIGN_OR_RETURN(const std::optional<int> epoch, WantedEpoch(load));
  INFERD_ASSIGN_OR_RETURN(const std::filesystem::path params_file, FindParams(file, epoch));
  INFERD_ASSIGN_OR_RETURN(const std::string symbol, ReadModelFile(file, mxnet::kModelBytesMax));
  INFERD_ASSIGN_OR_RETURN(const std::string params, ReadModelFile(params_file, mxnet::kModelBytesMax));
  return mxnet::Rewrite({file.filename().native(), symbol}, {params_file.filename().native(), params},
                        ConfiguredInputs<mxnet::Input>(load));
}

}  // namespace inferd::onnxruntime
