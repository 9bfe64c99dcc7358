#pragma once

#include "net/http/http.h"
#include "protocols/tfs/model_spec.h"
#include "protocols/tfs_http/handler.h"

// The responses about models. Loop-bound.

namespace inferd::tfs_http {

// Answers GET /v1/models.
net::HttpResponse ModelsResponse(const Environment& environment);

// Answer GET /v1/models/M[/versions/V|/labels/L]: the first determines the version, the second makes the response.
// `readiness` is the catalog's status of the model.
base::Result<tfs::ModelSpec> StatusSpec(const Environment& environment, tfs::ModelSpec spec);
net::HttpResponse StatusResponse(const Environment& environment, const tfs::ModelSpec& spec,
                                 const base::Status& readiness);

// Answers GET /v1/models/M[/versions/V|/labels/L]/metadata.
net::HttpResponse MetadataResponse(const Environment& environment, tfs::ModelSpec spec);

}  // namespace inferd::tfs_http
