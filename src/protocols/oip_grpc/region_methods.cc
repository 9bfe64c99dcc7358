#include "protocols/oip_grpc/region_methods.h"

#include <string>
#include <utility>

#include "oip/grpc_service.pb.h"
#include "protocols/oip_grpc/service_path.h"
#include "protocols/rpc/control_method.h"

namespace inferd::oip_grpc {

namespace {

base::Result<inference::SystemSharedMemoryStatusResponse> SystemStatus(
    const Environment& environment, const inference::SystemSharedMemoryStatusRequest& request) {
  std::vector<clientshm::RegionSpec> regions;
  if (request.name().empty()) {
    regions = environment.regions->All();
  } else {
    INFERD_ASSIGN_OR_RETURN(regions.emplace_back(), environment.regions->Find(request.name()));
  }
  inference::SystemSharedMemoryStatusResponse response;
  for (const clientshm::RegionSpec& region : regions) {
    auto& status = (*response.mutable_regions())[region.name];
    status.set_name(region.name);
    status.set_key(region.key);
    status.set_offset(region.offset);
    status.set_byte_size(region.byte_size);
  }
  return response;
}

base::Result<inference::SystemSharedMemoryRegisterResponse> SystemRegister(
    const Environment& environment, const inference::SystemSharedMemoryRegisterRequest& request) {
  INFERD_RETURN_IF_ERROR(environment.regions->Register(
      {.name = request.name(), .key = request.key(), .offset = request.offset(), .byte_size = request.byte_size()}));
  return inference::SystemSharedMemoryRegisterResponse();
}

base::Result<inference::SystemSharedMemoryUnregisterResponse> SystemUnregister(
    const Environment& environment, const inference::SystemSharedMemoryUnregisterRequest& request) {
  clientshm::Registry& regions = *environment.regions;
  INFERD_RETURN_IF_ERROR(request.name().empty() ? regions.UnregisterAll() : regions.Unregister(request.name()));
  return inference::SystemSharedMemoryUnregisterResponse();
}

base::Result<inference::CudaSharedMemoryStatusResponse> CudaStatus(
    const Environment& environment, const inference::CudaSharedMemoryStatusRequest& request) {
  std::vector<clientshm::DeviceRegionSpec> regions;
  if (request.name().empty()) {
    regions = environment.regions->AllDevices();
  } else {
    INFERD_ASSIGN_OR_RETURN(regions.emplace_back(), environment.regions->FindDevice(request.name()));
  }
  inference::CudaSharedMemoryStatusResponse response;
  for (const clientshm::DeviceRegionSpec& region : regions) {
    auto& status = (*response.mutable_regions())[region.name];
    status.set_name(region.name);
    status.set_device_id(static_cast<uint64_t>(region.device));
    status.set_byte_size(region.byte_size);
  }
  return response;
}

base::Result<inference::CudaSharedMemoryRegisterResponse> CudaRegister(
    const Environment& environment, const inference::CudaSharedMemoryRegisterRequest& request) {
  INFERD_RETURN_IF_ERROR(environment.regions->RegisterDevice({.name = request.name(),
                                                              .handle = request.raw_handle(),
                                                              .device = request.device_id(),
                                                              .byte_size = request.byte_size()}));
  return inference::CudaSharedMemoryRegisterResponse();
}

base::Result<inference::CudaSharedMemoryUnregisterResponse> CudaUnregister(
    const Environment& environment, const inference::CudaSharedMemoryUnregisterRequest& request) {
  clientshm::Registry& regions = *environment.regions;
  INFERD_RETURN_IF_ERROR(request.name().empty() ? regions.UnregisterAllDevices()
                                                : regions.UnregisterDevice(request.name()));
  return inference::CudaSharedMemoryUnregisterResponse();
}

}  // namespace

void AddRegionMethods(const std::shared_ptr<const Environment>& environment, std::vector<net::grpc::Method>& methods) {
  const auto add = [&](const char* name, auto answer) {
    if (environment->regions == nullptr) {
      methods.push_back(rpc::NotServed(environment, PathOf(name), std::string(environment->options.regions_disabled)));
    } else {
      methods.push_back(rpc::AtOnce(environment, PathOf(name), answer));
    }
  };
  add("SystemSharedMemoryStatus", SystemStatus);
  add("SystemSharedMemoryRegister", SystemRegister);
  add("SystemSharedMemoryUnregister", SystemUnregister);
  add("CudaSharedMemoryStatus", CudaStatus);
  add("CudaSharedMemoryRegister", CudaRegister);
  add("CudaSharedMemoryUnregister", CudaUnregister);
}

}  // namespace inferd::oip_grpc
