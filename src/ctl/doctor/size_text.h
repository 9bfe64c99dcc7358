#pragma once

#include <cstdint>
#include <string>

namespace inferd::ctl {

// Returns a size for people, in powers of 1024: "512 B", "63.5 MiB", "2.0 GiB".
std::string SizeText(uint64_t bytes);

}  // namespace inferd::ctl
