#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/dispatcher.h"
#include "net/loop/loop.h"
#include "rest/error_response.h"

namespace inferd::rest {

// Sends `answer(call)`, which is about a version of a model, as soon as that is loaded: now, unless it is of those that
// requests have loaded. `Call` is a front-end's, with its environment and options. Loop-bound.
template <typename Call, typename Answer>
void AnswerOnceLoaded(Call call, std::string model, std::string version, Answer answer) {
  core::Dispatcher& dispatcher = call.environment().dispatcher;
  if (dispatcher.Find(model, version).has_value() || !dispatcher.LoadsOnDemand(model, version)) {
    return call.Send(answer(call));
  }
  const auto cancel = std::make_shared<core::CancelFlag>();
  call.reply().OnPeerGone([cancel] { cancel->Cancel(); });
  core::LoadDemand demand{.model = model, .version = version, .cancel = cancel, .done = nullptr};
  demand.done = [call = std::move(call), model = std::move(model), version = std::move(version),
                 answer = std::move(answer)](core::LoadOutcome&& outcome) mutable {
    net::Loop& loop = call.loop();
    loop.Post([call = std::move(call), model = std::move(model), version = std::move(version),
               answer = std::move(answer), outcome = std::move(outcome)]() mutable {
      if (!outcome.status.ok()) {
        return call.Send(ErrorResponse(call.options(), outcome.status, outcome.retry_after_ms));
      }
      AnswerOnceLoaded(std::move(call), std::move(model), std::move(version), std::move(answer));
    });
  };
  dispatcher.AwaitLoad(std::move(demand));
}

}  // namespace inferd::rest
