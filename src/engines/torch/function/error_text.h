#pragma once

#include <string>
#include <string_view>

namespace inferd::torchscript {

// What an exception of libtorch's says, in one line of at most 2 000 bytes: of an error inside a model its last line,
// "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x3 and 784x256)", without the model's source and the
// library's stack.
std::string ErrorText(std::string_view what);

}  // namespace inferd::torchscript
