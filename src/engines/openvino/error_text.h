#pragma once

#include <string>
#include <string_view>

namespace inferd::openvino {

// What an exception of OpenVINO's says, in one line and without the places in the library's own source.
std::string ErrorText(std::string_view what);

}  // namespace inferd::openvino
