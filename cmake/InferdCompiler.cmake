# Language level, warnings, sanitizers, ccache, and the precompiled headers.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)  # -fPIC below applies to all targets, so that programs and plug-ins share one precompiled header
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

option(INFERD_TESTS "Build the unit tests, integration tests and benchmarks" ON)
option(INFERD_ROOM_TESTS "With INFERD_TESTS: the rooms' unit tests among them" ON)
option(INFERD_FUZZ "Build the libFuzzer targets too (clang)" OFF)
option(INFERD_COVERAGE "Count executed lines" OFF)
set(INFERD_SANITIZE "" CACHE STRING "Value for -fsanitize=, empty for none")
set(INFERD_DEBUG_OPTIONS "-O1" CACHE STRING "How a Debug build is optimised")
set(INFERD_UNITY 0 CACHE STRING "Compile up to that many sources of a target as one, 0 for each alone")

# Puts the compiler's heap into huge pages. This saves a twentieth of g++'s time.
set(launcher env GLIBC_TUNABLES=glibc.malloc.hugetlb=1)
find_program(CCACHE ccache)
if(CCACHE)
  # pch_defines: the precompiled header and its users agree on macros, because they have the same command line.
  # CCACHE_DEPEND: ccache uses the compiler's list of headers, and runs no preprocessor. This saves a tenth of the time of a build with an
  # empty cache, and nearly all of the time of a build with a full cache.
  list(APPEND launcher
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # A precompiled header of clang contains the path of its clone. cmake/compile explains this.
    list(APPEND launcher CCACHE_PCH_EXTSUM=1 ${CMAKE_SOURCE_DIR}/cmake/compile)
  else()
    list(APPEND launcher ${CCACHE})
  endif()
endif()
set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})

add_compile_options(-fPIC -Wall -Wextra -Werror -Wshadow -fno-omit-frame-pointer)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>)
# __FILE__ and debug paths must not depend on the folder of the tree, so that ccache hits in every clone.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -g1)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Turns off flow analyses of g++ 12 that report library code after inlining.
  add_compile_options(-Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds
                      -Wno-stringop-overread -Wno-free-nonheap-object -Wno-psabi)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  # g++ collects garbage from 512 MB on rather than from 128 MB. This saves a sixteenth of its time, and costs 200 MB at most.
  add_compile_options(--param=ggc-min-heapsize=524288)
else()
  # std::stable_sort of libstdc++ 12 calls a function that libstdc++ has deprecated. clang reports that in the caller.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wthread-safety> -Wno-deprecated-declarations)
  find_program(LLD NAMES ld.lld-19)
  if(LLD)
    add_link_options(-fuse-ld=lld)  # links a test with sanitizers in a third of ld's time
  endif()
endif()

set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "${INFERD_DEBUG_OPTIONS}")
set(CMAKE_CXX_FLAGS_DEBUG "${INFERD_DEBUG_OPTIONS}")

if(INFERD_UNITY)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${INFERD_UNITY})  # cmake/InferdUnity.cmake reads this
  add_compile_options(-Wno-shadow)  # reports local names of other sources in the unit
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-subobject-linkage)  # g++ takes a source inside of a unit for a header
    # g++ stops inlining when a unit exceeds this size (10000 by default). A unit of sixteen sources gets twice the size of a unit of eight.
    # Otherwise small functions on the request path are not inlined, and a request takes 1.3 % more instructions.
    add_compile_options(--param=large-unit-insns=20000)
  endif()
endif()

if(INFERD_SANITIZE)
  add_compile_options(-fsanitize=${INFERD_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${INFERD_SANITIZE})
  if(INFERD_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
endif()
if(INFERD_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# Programs must not export the symbols of their static libraries. Otherwise an engine's library with another copy of the same symbols would
# bind to them. Clang's sanitizers are an exception: they are static libraries, and libstdc++.so must see their malloc.
if(NOT (INFERD_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang"))
  add_link_options(-Wl,--exclude-libs,ALL)
endif()

add_library(inferd_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
target_include_directories(inferd_pch PRIVATE ${CMAKE_SOURCE_DIR})
target_precompile_headers(inferd_pch PRIVATE <cmake/pch.h>)

# The tested code is optimised as its preset says. The tests themselves are not, because optimising them took half of the time of a whole
# build.
set(INFERD_TEST_OPTIONS -O0)
if(INFERD_FUZZ)
  list(APPEND INFERD_TEST_OPTIONS -fno-sanitize=fuzzer-no-link)  # no fuzz target contains tests
endif()
if(INFERD_TESTS)
  find_package(GTest REQUIRED)
  add_library(inferd_test_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
  target_compile_options(inferd_test_pch PRIVATE ${INFERD_TEST_OPTIONS})
  target_include_directories(inferd_test_pch PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(inferd_test_pch PRIVATE GTest::gmock)
  target_precompile_headers(inferd_test_pch PRIVATE <cmake/test_pch.h>)
endif()
