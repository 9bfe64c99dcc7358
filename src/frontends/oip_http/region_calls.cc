#include "frontends/oip_http/region_calls.h"

#include <string>
#include <vector>

#include "frontends/oip_http/codec/region_json.h"
#include "rest/error_response.h"
#include "v2/cuda_regions.h"

namespace inferd::oip_http {

namespace {

base::Result<std::vector<clientshm::RegionSpec>> StatusOf(const clientshm::Registry& regions, const Route& route) {
  if (route.cuda && !route.region.empty()) return std::unexpected(v2::NoCudaRegion(route.region));
  if (route.cuda) return std::vector<clientshm::RegionSpec>();
  if (route.region.empty()) return regions.All();
  INFERD_ASSIGN_OR_RETURN(clientshm::RegionSpec region, regions.Find(route.region));
  return std::vector{std::move(region)};
}

base::Status Register(clientshm::Registry& regions, const Route& route, std::string_view body) {
  if (route.region.empty()) {
    return base::InvalidArgument("'region name' is necessary to register system shared memory region");
  }
  if (route.cuda) return v2::CudaNotServed(route.region);
  INFERD_ASSIGN_OR_RETURN(const clientshm::RegionSpec region, ReadRegion(body, route.region));
  return regions.Register(region);
}

base::Status Unregister(clientshm::Registry& regions, const Route& route) {
  if (route.cuda) return base::OkStatus();
  return route.region.empty() ? regions.UnregisterAll() : regions.Unregister(route.region);
}

}  // namespace

net::HttpResponse AnswerRegionCall(const Options& options, clientshm::Registry* regions, const Route& route,
                                   std::string_view body) {
  if (regions == nullptr) {
    return rest::ErrorResponse(options, base::Unimplemented(std::string(options.regions_disabled)));
  }
  if (route.endpoint == Endpoint::kRegionStatus) {
    const auto status = StatusOf(*regions, route);
    return status.has_value() ? rest::JsonResponse(RegionsJson(*status)) : rest::ErrorResponse(options, status.error());
  }
  const base::Status status =
      route.endpoint == Endpoint::kRegionRegister ? Register(*regions, route, body) : Unregister(*regions, route);
  return status.ok() ? net::HttpResponse() : rest::ErrorResponse(options, status);
}

}  // namespace inferd::oip_http
