#include "engines/kit/load_cores.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace inferd::kit {
namespace {

TEST(LoadCoresTest, AreThoseOfTheLoad) {
  constexpr std::array<int32_t, 2> kCores = {1, 3};
  inferd_load load = {};
  load.struct_size = sizeof(load);
  EXPECT_EQ(LoadCores(load), base::CpuCores());
  load.cpu_cores = kCores.data();
  load.cpu_core_count = kCores.size();
  EXPECT_EQ(LoadCores(load), (base::CpuCores{1, 3}));
  load.struct_size = offsetof(inferd_load, cpu_cores);
  EXPECT_EQ(LoadCores(load), base::CpuCores()) << "of a server that does not know them";
}

}  // namespace
}  // namespace inferd::kit
