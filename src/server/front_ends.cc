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
  // Must precede TensorFlow Serving's front-end, which uses the same paths.
  front_ends.push_back(kserve_v1::MakeFrontEnd(settings));
  front_ends.push_back(tfs_http::MakeFrontEnd(settings));
  front_ends.push_back(mlflow_http::MakeFrontEnd(settings));
  const auto trtis_state =
      std::make_shared<trtis::ServerState>(settings.options.server_name, std::string(base::BuildVersion()),
                                           settings.options.personality->refuses_while_draining);
  front_ends.push_back(trtis_http::MakeFrontEnd(settings, trtis_state));
  front_ends.push_back(trtis_grpc::MakeFrontEnd(settings, trtis_state));
  // These report about the services of the front-ends before them.
  front_ends.push_back(grpc_health::MakeFrontEnd(settings));
  front_ends.push_back(grpc_reflection::MakeFrontEnd(settings));
  // The last front-end over HTTP receives the requests that no other claims.
  front_ends.push_back(oip_http::MakeFrontEnd(settings));
  return front_ends;
}

}  // namespace inferd::server
