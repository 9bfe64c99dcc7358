#include "protocols/trtis/own_requests.h"

#include <string>

#include "base/text/printable.h"

namespace inferd::trtis {

base::Status CheckServing(const std::atomic<bool>& draining) {
  return draining.load(std::memory_order_relaxed) ? base::Unavailable("Server exiting") : base::OkStatus();
}

base::Status CheckInferring(const ServerState& state, const core::Catalog& catalog, const std::atomic<bool>& draining) {
  if (!catalog.ServerLive()) return base::Unavailable("Server not ready");
  return state.refuses_while_draining() ? CheckServing(draining) : base::OkStatus();
}

base::Result<bool> CheckHealth(base::Status serving, std::string_view mode, const core::Catalog& catalog) {
  if (!serving.ok()) return std::unexpected(std::move(serving));
  if (mode == "live") return catalog.ServerLive();
  if (mode == "ready") return catalog.ServerReady();
  return std::unexpected(base::Status(base::StatusCode::kUnknown, "unknown health mode " + base::QuotedName(mode)));
}

base::Status CheckProfile(base::Status serving, std::string_view command) {
  if (!serving.ok()) return serving;
  if (command == "start" || command == "stop") return base::Unimplemented("Profile API not enabled");
  return base::InvalidArgument("Unknown profile command " + base::QuotedName(command));
}

}  // namespace inferd::trtis
