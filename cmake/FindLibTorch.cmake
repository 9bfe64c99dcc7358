# LibTorch::LibTorch, from a folder with include/torch/script.h and lib/libtorch_cpu.so: -DINFERD_TORCH_ROOT, the environment's
# INFERD_TORCH_ROOT, or where tools/install_torch puts it. Headers and library are of one release.
include(InferdRelease)
inferd_find_release(LibTorch torch/script.h libtorch_cpu.so torch/headeronly/version.h TORCH_VERSION
                    ${INFERD_TORCH_ROOT} $ENV{INFERD_TORCH_ROOT} ${CMAKE_SOURCE_DIR}/build/deps/torch)

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  file(GLOB LibTorch_LIBRARIES ${LibTorch_LIBRARY_DIR}/*.so ${LibTorch_LIBRARY_DIR}/*.so.[0-9]*)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  set_target_properties(LibTorch::LibTorch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_INCLUDE_DIR};${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  # All of them by name, those that the libraries need of each other too: what is linked to them finds each beside the others, and
  # LD_LIBRARY_PATH cannot swap one.
  target_link_libraries(LibTorch::LibTorch INTERFACE -Wl,--no-as-needed ${LibTorch_LIBRARIES} -Wl,--as-needed)
endif()
