# Language level, warnings, sanitizers, ccache, and the precompiled headers.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)  # -fPIC for all below: one precompiled header serves programs and plug-ins
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

find_program(CCACHE ccache)
if(CCACHE)
  # The precompiled header and its users agree on macros because one command line makes them all.
  # CCACHE_DEPEND: the compiler's list of headers is what ccache goes by, so that it runs no preprocessor: a tenth of the time of a build
  # with an empty cache, and nearly all of one with a full cache.
  # GLIBC_TUNABLES: the compiler's heap is in huge pages, a twentieth of g++'s time.
  set(ccache_launcher env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} GLIBC_TUNABLES=glibc.malloc.hugetlb=1)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # cmake/compile says why: a precompiled header of clang names the folders of its clone.
    list(APPEND ccache_launcher CCACHE_PCH_EXTSUM=1 ${CMAKE_SOURCE_DIR}/cmake/compile)
  else()
    list(APPEND ccache_launcher ${CCACHE})
  endif()
  set(CMAKE_C_COMPILER_LAUNCHER ${ccache_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache_launcher})
endif()

add_compile_options(-fPIC -Wall -Wextra -Werror -Wshadow -fno-omit-frame-pointer)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>)
# __FILE__ and debug paths do not depend on where the tree lies, so that ccache hits in every clone.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -g1)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Flow analyses of g++ 12 that report library code after inlining.
  add_compile_options(-Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds
                      -Wno-stringop-overread -Wno-free-nonheap-object -Wno-psabi)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  # Garbage is collected from 512 MB on rather than from 128 MB: a sixteenth of g++'s time, for 200 MB more at most.
  add_compile_options(--param=ggc-min-heapsize=524288)
else()
  # libstdc++ 12 calls what it deprecates itself (std::stable_sort), and clang reports that where it is used.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wthread-safety> -Wno-deprecated-declarations)
  find_program(LLD NAMES ld.lld-19)
  if(LLD)
    add_link_options(-fuse-ld=lld)  # a third of the time of ld for a test with sanitizers
  endif()
endif()

set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "${INFERD_DEBUG_OPTIONS}")
set(CMAKE_CXX_FLAGS_DEBUG "${INFERD_DEBUG_OPTIONS}")

if(INFERD_UNITY)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${INFERD_UNITY})  # what cmake/InferdUnity.cmake goes by
  add_compile_options(-Wno-shadow)  # of names that other sources have for themselves
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-subobject-linkage)  # g++ takes what is compiled with other sources for a header
    # g++ inlines in a unit up to a size, 10000 by default. A unit of sixteen sources gets twice what one of eight had: else small functions of
    # the request path are calls, and a request takes 1.3 % more instructions.
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

# What the programs bring in statically stays theirs: an engine library that carries another copy of the same
# symbols must not bind to it. Clang's sanitizers are static libraries whose malloc libstdc++.so must see, though.
if(NOT (INFERD_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang"))
  add_link_options(-Wl,--exclude-libs,ALL)
endif()

add_library(inferd_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
target_include_directories(inferd_pch PRIVATE ${CMAKE_SOURCE_DIR})
target_precompile_headers(inferd_pch PRIVATE <cmake/pch.h>)

# What is tested is optimised as its preset says; the tests themselves are not, since optimising them took half of the
# time that a whole build took.
set(INFERD_TEST_OPTIONS -O0)
if(INFERD_FUZZ)
  list(APPEND INFERD_TEST_OPTIONS -fno-sanitize=fuzzer-no-link)  # no fuzz target is built of them
endif()
if(INFERD_TESTS)
  find_package(GTest REQUIRED)
  add_library(inferd_test_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
  target_compile_options(inferd_test_pch PRIVATE ${INFERD_TEST_OPTIONS})
  target_include_directories(inferd_test_pch PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(inferd_test_pch PRIVATE GTest::gmock)
  target_precompile_headers(inferd_test_pch PRIVATE <cmake/test_pch.h>)
endif()
