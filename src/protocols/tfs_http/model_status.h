#pragma once

#include "net/http/http.h"
#include "protocols/tfs/model_spec.h"
#include "protocols/tfs_http/handler.h"

// The answers about models. Loop-bound.

namespace inferd::tfs_http {

// GET /v1/models
net::HttpResponse ModelsResponse(const Environment& environment);

// GET /v1/models/M[/versions/V|/labels/L]: which version that is, and then the answer; `readiness`: what the catalog
// says of it.
base::Result<tfs::ModelSpec> StatusSpec(const Environment& environment, tfs::ModelSpec spec);
net::HttpResponse StatusResponse(const Environment& environment, const tfs::ModelSpec& spec,
                                 const base::Status& readiness);

// GET /v1/models/M[/versions/V|/labels/L]/metadata
net::HttpResponse MetadataResponse(const Environment& environment, tfs::ModelSpec spec);

}  // namespace inferd::tfs_http
