#include "config/format/missing_engine.h"

#include "config/format/model_files.h"
#include "config/own_engines.h"

namespace inferd::config {
namespace {

bool IsOf(const Format& format, std::string_view engine) {
  const Platform* const platform = PlatformOf(format);
  return platform != nullptr && platform->engine == engine;
}

}  // namespace

std::string InstallCommand(std::string_view engine) { return "tools/install_engine " + std::string(engine); }

std::string MissingEngineHint(std::string_view engine, const std::string& filename) {
  const OwnEngine* const own = FindOwnEngine(engine);
  const bool installable = own != nullptr && own->installable;
  const auto found = FindModel({}, filename);
  const bool named = found.has_value() && IsOf(*found->format, engine);
  if (installable && (!named || found->format->read)) return InstallCommand(engine) + " installs it";
  if (named) return std::string(found->format->without);
  for (const Format& format : Formats()) {
    if (IsOf(format, engine)) return std::string(format.without);
  }
  return "";
}

}  // namespace inferd::config
