#pragma once

#include <memory>
#include <string>
#include <utility>

#include "protocols/call/await_load.h"
#include "protocols/rest/error_response.h"
#include "serving/core/dispatcher.h"

namespace inferd::rest {

// Sends `answer(call)`, which concerns a version of a model, as soon as that version is loaded: at once, unless the
// model is loaded on demand. `Call` is a front-end's, with its environment and options. Loop-bound.
template <typename Call, typename Answer>
void AnswerOnceLoaded(Call call, std::string model, std::string version, Answer answer) {
  core::Dispatcher& dispatcher = call.environment().dispatcher;
  if (dispatcher.Find(model, version).has_value() || !dispatcher.LoadsOnDemand(model, version)) {
    return call.Send(answer(call));
  }
  const auto cancel = std::make_shared<core::CancelFlag>();
  call.reply().OnPeerGone([cancel] { cancel->Cancel(); });
  net::Loop& loop = call.loop();
  call::AwaitLoad(dispatcher, loop, {.model = model, .version = version, .cancel = cancel, .done = nullptr},
                  std::move(call),
                  [model, version, answer = std::move(answer)](Call waiting, core::LoadOutcome&& outcome) mutable {
                    if (!outcome.status.ok()) {
                      return waiting.Send(ErrorResponse(waiting.options(), outcome.status, outcome.retry_after_ms));
                    }
                    AnswerOnceLoaded(std::move(waiting), std::move(model), std::move(version), std::move(answer));
                  });
}

}  // namespace inferd::rest
