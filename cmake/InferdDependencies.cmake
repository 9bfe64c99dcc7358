# What the build needs, found once. quickstart installs all of it.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(Protobuf REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)
pkg_check_modules(NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
find_path(FAST_FLOAT_INCLUDE fast_float/fast_float.h REQUIRED)
if(INFERD_TESTS AND NOT INFERD_FUZZ)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
endif()

add_library(fast_float INTERFACE)
target_include_directories(fast_float SYSTEM INTERFACE ${FAST_FLOAT_INCLUDE})

# Static: the engines' libraries bring protobufs of their own, and must never meet the server's.
add_library(inferd_protobuf_runtime INTERFACE)
target_link_libraries(inferd_protobuf_runtime INTERFACE /usr/lib/x86_64-linux-gnu/libprotobuf.a)
