# LibTorch::LibTorch, from a folder with include/torch/script.h and lib/libtorch_cpu.so: -DINFERD_TORCH_ROOT, the environment's
# INFERD_TORCH_ROOT, or where tools/install_torch puts it. Headers and library are of one release.
set(LibTorch_ROOTS ${INFERD_TORCH_ROOT} $ENV{INFERD_TORCH_ROOT} ${CMAKE_SOURCE_DIR}/build/deps/torch)
find_path(LibTorch_INCLUDE_DIR torch/script.h PATHS ${LibTorch_ROOTS} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_file(LibTorch_LIBRARY libtorch_cpu.so PATHS ${LibTorch_ROOTS} PATH_SUFFIXES lib NO_DEFAULT_PATH)

if(LibTorch_INCLUDE_DIR)
  file(STRINGS ${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h LibTorch_numbers REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" LibTorch_numbers "${LibTorch_numbers}")
  string(REPLACE ";" "." LibTorch_VERSION "${LibTorch_numbers}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_LIBRARY LibTorch_INCLUDE_DIR VERSION_VAR LibTorch_VERSION)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_LIBRARY)

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  get_filename_component(LibTorch_LIBRARY_DIR ${LibTorch_LIBRARY} DIRECTORY)
  file(GLOB LibTorch_LIBRARIES ${LibTorch_LIBRARY_DIR}/*.so ${LibTorch_LIBRARY_DIR}/*.so.[0-9]*)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  set_target_properties(LibTorch::LibTorch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_INCLUDE_DIR};${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  # All of them by name, those that the libraries need of each other too: what is linked to them finds each beside the others, and
  # LD_LIBRARY_PATH cannot swap one.
  target_link_libraries(LibTorch::LibTorch INTERFACE -Wl,--no-as-needed ${LibTorch_LIBRARIES} -Wl,--as-needed)
endif()
