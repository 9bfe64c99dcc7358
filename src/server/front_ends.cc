#include "server/front_ends.h"

#include <memory>
#include <string>

#include "base/version/version.h"
#include "config/personality.h"
#include "protocols/grpc_health/front_end.h"
#include "protocols/grpc_reflection/front_end.h"
#include "protocols/kserve_v1/front_end.h"
#include "protocols/mlflow_http/front_end.h"
#include "protocols/oip_grpc/front_end.h"
#include "protocols/oip_http/front_end.h"
#include "protocols/tfs_grpc/front_end.h"
#include "protocols/tfs_http/front_end.h"
#include "protocols/trtis/server_state.h"
#include "protocols/trtis_grpc/front_end.h"
#include "protocols/trtis_http/front_end.h"

namespace inferd::server {

protocol::FrontEnds MakeFrontEnds(const protocol::Settings& settings) {
  protocol::FrontEnds front_ends;
  front_ends.push_back(oip_grpc::MakeFrontEnd(settings));
  front_ends.push_back(tfs_grpc::MakeFrontEnd(settings));
  // Before TensorFlow Serving's, whose paths are its own too.
  front_ends.push_back(kserve_v1::MakeFrontEnd(settings));
  front_ends.push_back(tfs_http::MakeFrontEnd(settings));
  front_ends.push_back(mlflow_http::MakeFrontEnd(settings));
  const auto trtis_state =
      std::make_shared<trtis::ServerState>(settings.options.server_name, std::string(base::BuildVersion()),
                                           settings.options.personality->refuses_while_draining);
  front_ends.push_back(trtis_http::MakeFrontEnd(settings, trtis_state));
  front_ends.push_back(trtis_grpc::MakeFrontEnd(settings, trtis_state));
  // These answer for the services before them.
  front_ends.push_back(grpc_health::MakeFrontEnd(settings));
  front_ends.push_back(grpc_reflection::MakeFrontEnd(settings));
  // The last one over HTTP has what no other claims.
  front_ends.push_back(oip_http::MakeFrontEnd(settings));
  return front_ends;
}

}  // namespace inferd::server
