#include "protocols/oip_http/region_calls.h"

#include <string>

#include "protocols/oip_http/codec/region_json.h"
#include "protocols/rest/error_response.h"

namespace inferd::oip_http {

namespace {

base::Result<std::string> SystemStatus(const clientshm::Registry& regions, const Route& route) {
  if (route.region.empty()) return RegionsJson(regions.All());
  INFERD_ASSIGN_OR_RETURN(const clientshm::RegionSpec region, regions.Find(route.region));
  return RegionsJson({&region, 1});
}

base::Result<std::string> DeviceStatus(const clientshm::Registry& regions, const Route& route) {
  if (route.region.empty()) return DeviceRegionsJson(regions.AllDevices());
  INFERD_ASSIGN_OR_RETURN(const clientshm::DeviceRegionSpec region, regions.FindDevice(route.region));
  return DeviceRegionsJson({&region, 1});
}

base::Status Register(clientshm::Registry& regions, const Route& route, std::string_view body) {
  if (route.region.empty()) {
    return base::InvalidArgument("'region name' is necessary to register " +
                                 std::string(route.cuda ? "cuda" : "system") + " shared memory region");
  }
  if (route.cuda) {
    INFERD_ASSIGN_OR_RETURN(const clientshm::DeviceRegionSpec region, ReadDeviceRegion(body, route.region));
    return regions.RegisterDevice(region);
  }
  INFERD_ASSIGN_OR_RETURN(const clientshm::RegionSpec region, ReadRegion(body, route.region));
  return regions.Register(region);
}

base::Status Unregister(clientshm::Registry& regions, const Route& route) {
  if (route.cuda) return route.region.empty() ? regions.UnregisterAllDevices() : regions.UnregisterDevice(route.region);
  return route.region.empty() ? regions.UnregisterAll() : regions.Unregister(route.region);
}

}  // namespace

net::HttpResponse AnswerRegionCall(const Options& options, clientshm::Registry* regions, const Route& route,
                                   std::string_view body) {
  if (regions == nullptr) {
    return rest::ErrorResponse(options, base::Unimplemented(std::string(options.regions_disabled)));
  }
  if (route.endpoint == Endpoint::kRegionStatus) {
    auto status = route.cuda ? DeviceStatus(*regions, route) : SystemStatus(*regions, route);
    return status.has_value() ? rest::JsonResponse(*std::move(status)) : rest::ErrorResponse(options, status.error());
  }
  const base::Status status =
      route.endpoint == Endpoint::kRegionRegister ? Register(*regions, route, body) : Unregister(*regions, route);
  return status.ok() ? net::HttpResponse() : rest::ErrorResponse(options, status);
}

}  // namespace inferd::oip_http
