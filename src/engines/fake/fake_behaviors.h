#pragma once

#include <functional>

#include "base/status.h"
#include "engines/fake/fake_model.h"
#include "engines/fake/fake_part.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// What the models of this engine compute. Each answers all requests of the batch or part, or returns why it cannot.

// Waits for a request's sake, and until its client takes what there is; false: nobody waits for its answer any more.
using Pause = std::function<bool(size_t request, int64_t ns)>;

// Output i repeats input i, whatever its datatype and shape; of a ragged one, in rows again, which needs a part for
// each request.
base::Status Identity(const inferd_host* host, const inferd_model* model, const Part& part);

// Whether an output has rows whose input is ragged, a row of elements.
bool RepeatsRaggedInputs(const inferd_model* model, const inferd_batch* batch);

// The two inputs' sum and difference, element by element; integers wrap.
base::Status AddSub(const inferd_host* host, const inferd_model* model, const Part& part);

// Per request one response for each element of IN, as OUT, with its position as IDX, after the milliseconds that DELAY
// has at that position; then WAIT milliseconds before the next request (Triton's repeat backend).
base::Status Repeat(const inferd_host* host, const inferd_model* model, const inferd_batch* batch, const Pause& pause);

// Per request, as many responses as the number n in IN says, each n as OUT; of these the last ones are left out or
// failures, if the model's options say so (Triton's square backend).
base::Status Square(const inferd_host* host, const inferd_model* model, const inferd_batch* batch, const Pause& pause);

}  // namespace inferd::fake
