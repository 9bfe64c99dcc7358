#include "server/dry_run.h"

#include <ostream>

#include "base/clock.h"
#include "server/engine_set.h"
#include "server/option_mapping.h"
#include "server/remote/remote_models.h"
#include "server/served_models.h"
#include "serving/repository/validate_repository.h"

namespace inferd::server {

int DryRun(const config::ServerOptions& given, base::Logger& logger, std::ostream& out) {
  config::ServerOptions options = given;
  const auto remote_models = RemoteModels::Open(options, logger);
  if (!remote_models.has_value()) {
    out << remote_models.error().message() << '\n';
    return 1;
  }
  const auto engines = EngineSet::Open(options, logger);
  if (!engines.has_value()) {
    out << engines.error().message() << '\n';
    return 1;
  }
  auto served = ReadServedModels(options.served, logger);
  if (!served.has_value()) {
    out << served.error().message() << '\n';
    return 1;
  }
  const base::SystemClock clock;
  const int problems =
      repository::ValidateRepositories(ManagerOptionsOf(options, *std::move(served)), engines->engines(), clock, out);
  return problems == 0 ? 0 : 1;
}

}  // namespace inferd::server
