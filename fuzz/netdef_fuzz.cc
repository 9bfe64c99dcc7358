// Fuzzes both files of a Caffe2 model. The first two bytes are the length of the init net.

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engines/rewrite/netdef/rewrite.h"
#include "fuzz/require.h"

namespace inferd::netdef {
namespace {

constexpr uint64_t kBytesMax = 64 << 10;

}  // namespace
}  // namespace inferd::netdef

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd::netdef;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t init_size = std::min<size_t>(data[0] | data[1] << 8, bytes.size());
  const std::vector<NetInput> given = {{.name = "x", .element = Element::kFloat, .shape = {-1, 4, 7, 6}}};
  for (const auto& inputs : {given, std::vector<NetInput>{}}) {
    const auto model = RewriteNets({"model.netdef", bytes.substr(init_size)},
                                   {"init_model.netdef", bytes.substr(0, init_size)}, inputs, kBytesMax);
    if (model.has_value()) {
      inferd::fuzz::Require(model->size() <= kBytesMax, "a model beyond its limit");
    } else {
      inferd::fuzz::Require(!model.error().message().empty(), "refused without a reason");
    }
  }
  return 0;
}
