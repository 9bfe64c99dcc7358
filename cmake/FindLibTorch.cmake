# Finds LibTorch::LibTorch in a folder with include/torch/script.h and lib/libtorch_cpu.so. Looks in -DINFERD_TORCH_ROOT, in
# INFERD_TORCH_ROOT of the environment, and in the folder of tools/install_torch. Headers and library must be of one release.
include(InferdRelease)
inferd_find_release(LibTorch torch/script.h libtorch_cpu.so torch/headeronly/version.h TORCH_VERSION
                    ${INFERD_TORCH_ROOT} $ENV{INFERD_TORCH_ROOT} ${CMAKE_SOURCE_DIR}/build/deps/torch)

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  file(GLOB LibTorch_LIBRARIES ${LibTorch_LIBRARY_DIR}/*.so ${LibTorch_LIBRARY_DIR}/*.so.[0-9]*)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  set_target_properties(LibTorch::LibTorch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_INCLUDE_DIR};${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  # Links all libraries by name, including those that only other libraries need. A target then finds each of them in the same folder, and
  # LD_LIBRARY_PATH cannot replace one.
  target_link_libraries(LibTorch::LibTorch INTERFACE -Wl,--no-as-needed ${LibTorch_LIBRARIES} -Wl,--as-needed)
endif()
