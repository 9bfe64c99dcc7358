#pragma once

#include "frontends/tfs_http/handler.h"
#include "net/http/http.h"
#include "tfs/model_spec.h"

// The answers about models, which come at once. Loop-bound.

namespace inferd::tfs_http {

// GET /v1/models
net::HttpResponse ModelsResponse(const Environment& environment);

// GET /v1/models/M[/versions/V|/labels/L]
net::HttpResponse StatusResponse(const Environment& environment, tfs::ModelSpec spec);

// GET /v1/models/M[/versions/V|/labels/L]/metadata
net::HttpResponse MetadataResponse(const Environment& environment, tfs::ModelSpec spec);

}  // namespace inferd::tfs_http
