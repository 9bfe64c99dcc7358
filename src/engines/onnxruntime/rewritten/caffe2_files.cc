#include "engines/onnxruntime/rewritten/caffe2_files.h"

#include "engines/onnxruntime/rewritten/model_file.h"
#include "engines/rewrite/netdef/rewrite.h"

namespace inferd::onnxruntime {

bool IsCaffe2(const inferd_load& load, const std::filesystem::path& file) {
  return kit::ToView(load.backend) == "caffe2" || file.extension() == ".netdef";
}

base::Result<std::string> ReadCaffe2(const inferd_load& load, const std::filesystem::path& file) {
  const std::string name = file.filename();
  const std::string init_name = "init_" + name;
  INFERD_ASSIGN_OR_RETURN(const std::string predict, ReadModelFile(file, netdef::kModelBytesMax));
  INFERD_ASSIGN_OR_RETURN(const std::string init,
                          ReadModelFile(file.parent_path() / init_name, netdef::kModelBytesMax));
  return netdef::RewriteNets({name, predict}, {init_name, init}, ConfiguredInputs<netdef::NetInput>(load));
}

}  // namespace inferd::onnxruntime
