#include "bench/harness/served_model.h"

#include <string>
#include <utility>
#include <vector>

namespace inferd::bench {

base::Result<ServedModel> ServedModel::Start(const Options& options) {
  constexpr const char* kModel = "model";
  INFERD_ASSIGN_OR_RETURN(ScratchRepository repository, ScratchRepository::Create());
  INFERD_RETURN_IF_ERROR(repository.Add(kModel, options.file, options.config));
  std::vector<std::string> library_floor;
  if (!options.library.empty()) library_floor = {"library_floor", options.library, options.file};
  INFERD_ASSIGN_OR_RETURN(Programs programs, Programs::Start({.folder = options.programs,
                                                              .repository = repository.folder(),
                                                              .models = {kModel},
                                                              .grpc = IsGrpc(options.wire),
                                                              .server = true,
                                                              .floors = options.floor,
                                                              .library_floor = std::move(library_floor)}));
  INFERD_ASSIGN_OR_RETURN(PreparedCall call, Prepare({.model = kModel, .wire = options.wire}, programs.targets()));
  return ServedModel(std::move(repository), std::move(programs), std::move(call));
}

}  // namespace inferd::bench
