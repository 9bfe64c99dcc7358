#pragma once

#include <memory>

#include "agent/batcher/batch_options.h"
#include "net/event_loop.h"
#include "net/http/http.h"
#include "net/upstream/address.h"

namespace inferd::agent {

// Puts requests of V1's :predict together, those of the same path whose bodies differ in their instances only, and asks
// `component` with all of them at once: when there are enough instances, or the first has waited long enough. Each
// client gets the predictions of its instances, in KServe's form. A client that goes before takes its instances along.
// All other requests go to `inner`, encoded bodies and CloudEvents among them. Loop-bound.
std::unique_ptr<net::HttpHandler> MakeBatchingHandler(const BatchOptions& options,
                                                      const net::upstream::Address& component, net::EventLoop& loop,
                                                      std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::agent
