#pragma once

#include "inferd/engine_abi.h"

namespace inferd::python {

// Returns true if the operator lets this model's files run code while they are read, as pickles do: the parameter
// `operator.pickles` (--allow-pickle) names all models, a folder that contains the model, or the model itself. The
// parameter comes from the command line alone, so no model can grant itself the right. Files that came with a load call
// belong to no folder and no name: only `all` covers them.
bool MayUnpickle(const inferd_load& load);

}  // namespace inferd::python
