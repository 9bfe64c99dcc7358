#pragma once

#include <string_view>
#include <utility>

#include "net/loop/loop.h"
#include "serving/core/model/catalog.h"

namespace inferd::call {

// Calls `then(call, status)` on `loop` once it is known whether the model is ready (Catalog::AskModelReady): at once,
// unless the model's own code must answer. Holds `call` until then. Loop-bound; the loop must outlive the call.
template <typename Call, typename Then>
void AskModelReady(const core::Catalog& catalog, net::Loop& loop, std::string_view model, std::string_view version,
                   Call call, Then then) {
  catalog.AskModelReady(
      model, version, [&loop, call = std::move(call), then = std::move(then)](base::Status status) mutable {
        if (loop.InLoopThread()) return then(std::move(call), std::move(status));
        loop.Post([call = std::move(call), then = std::move(then), status = std::move(status)]() mutable {
          then(std::move(call), std::move(status));
        });
      });
}

}  // namespace inferd::call
