#pragma once

#include "inferd/engine_abi.h"

namespace inferd::python {

// Whether the operator lets files of this model run code while they are read, as pickles do: the parameter
// `operator.pickles` (--allow-pickle) names all models, a folder that the model's lies in, or the model. It comes from
// the command line alone: a model that could say it would grant itself the right. Files that came with a load call are
// no folder's and no name's: only `all` means them.
bool MayUnpickle(const inferd_load& load);

}  // namespace inferd::python
