#include "server/front_ends.h"

#include "frontends/grpc_health/front_end.h"
#include "frontends/grpc_reflection/front_end.h"
#include "frontends/oip_grpc/front_end.h"
#include "frontends/oip_http/front_end.h"
#include "frontends/tfs_grpc/front_end.h"
#include "frontends/tfs_http/front_end.h"

namespace inferd::server {

protocol::FrontEnds MakeFrontEnds(const protocol::Settings& settings) {
  protocol::FrontEnds front_ends;
  front_ends.push_back(oip_grpc::MakeFrontEnd(settings));
  front_ends.push_back(tfs_grpc::MakeFrontEnd(settings));
  front_ends.push_back(tfs_http::MakeFrontEnd(settings));
  // These answer for the services before them.
  front_ends.push_back(grpc_health::MakeFrontEnd(settings));
  front_ends.push_back(grpc_reflection::MakeFrontEnd(settings));
  // The last one over HTTP has what no other claims.
  front_ends.push_back(oip_http::MakeFrontEnd(settings));
  return front_ends;
}

}  // namespace inferd::server
