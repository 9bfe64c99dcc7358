# inferd_module(NAME [COLD] [TESTED_BY_PROGRAM] [TEST_SECONDS n] DEPS room... EXTERNAL target... [SUBDIRS folder...] [ALONE file...])
#
# Defines one room: a static library `inferd_<NAME>` (slashes become underscores) of every source in the folder and in SUBDIRS,
# a test program of its *_test.cc, and a benchmark program of its *_bench.cc. tools/check_layers checks the #include lines against
# ARCHITECTURE.md's tables.
#   DEPS               rooms to link, PRIVATE
#   EXTERNAL           imported targets to link, PRIVATE
#   ALONE              sources that INFERD_UNITY compiles alone, because another source of the room has the same local names. A test with such
#                      names uses a namespace with its file's name instead of an unnamed one, and need not be listed
#   TESTED_BY_PROGRAM  an integration test runs the room's test program, so it is built even without INFERD_ROOM_TESTS
#   COLD               no request passes through the room. A release build compiles it with -O1 rather than -O2, which takes a fifth less time.
#                      Every build compiles it as one or two units, since a unit parses its headers once
#   TEST_SECONDS       the duration of its tests with sanitizers, if they are slow. ctest starts the slowest tests first
function(inferd_module name)
  cmake_parse_arguments(ARG "COLD;TESTED_BY_PROGRAM" "TEST_SECONDS" "DEPS;EXTERNAL;SUBDIRS;ALONE;TEST_DEPS;TEST_EXTERNAL" ${ARGN})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  string(REPLACE "/" "_" id ${name})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  foreach(subdir ${ARG_SUBDIRS})
    file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${subdir}/*.cc)
    list(APPEND sources ${more})
  endforeach()
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cc$")

  set(links)
  foreach(dep ${ARG_DEPS})
    string(REPLACE "/" "_" dep_id ${dep})
    list(APPEND links inferd_${dep_id})
  endforeach()
  list(APPEND links ${ARG_EXTERNAL})

  if(sources)
    add_library(inferd_${id} STATIC ${sources})
    target_include_directories(inferd_${id} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(inferd_${id} PRIVATE ${links} Threads::Threads)
    target_precompile_headers(inferd_${id} REUSE_FROM inferd_pch)
    if(ARG_COLD)
      target_compile_options(inferd_${id} PRIVATE $<$<CONFIG:Release>:-O1>)
      set_target_properties(inferd_${id} PROPERTIES UNITY_BUILD_BATCH_SIZE 64)
    endif()
  else()
    add_library(inferd_${id} INTERFACE)
    target_link_libraries(inferd_${id} INTERFACE ${links})
  endif()

  inferd_note_wing(LIBRARIES inferd_${id})

  set(test_links)
  foreach(dep ${ARG_TEST_DEPS})
    string(REPLACE "/" "_" dep_id ${dep})
    list(APPEND test_links inferd_${dep_id})
  endforeach()
  list(APPEND test_links ${ARG_TEST_EXTERNAL})
  if(tests AND INFERD_TESTS AND (INFERD_ROOM_TESTS OR ARG_TESTED_BY_PROGRAM))
    inferd_test(${id}_test SOURCES ${tests} LINK inferd_${id} ${links} ${test_links})
    if(ARG_TEST_SECONDS)
      set_tests_properties(${id}_test PROPERTIES COST ${ARG_TEST_SECONDS})
    endif()
  endif()
  if(benches AND INFERD_TESTS AND NOT INFERD_SANITIZE)
    add_executable(${id}_bench EXCLUDE_FROM_ALL ${benches})
    target_include_directories(${id}_bench PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR})
    target_link_libraries(${id}_bench PRIVATE inferd_${id} ${links} ${test_links} benchmark::benchmark_main Threads::Threads)
    target_precompile_headers(${id}_bench REUSE_FROM inferd_pch)
    add_dependencies(inferd_benches ${id}_bench)
  endif()
endfunction()

# Registers a library or test of this folder's wing for inferd_wing_targets().
function(inferd_note_wing kind target)
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX MATCH "^[^/.]+" wing "${path}")
  if(wing)
    set_property(GLOBAL APPEND PROPERTY INFERD_WING_${kind}_${wing} ${target})
    if(kind STREQUAL "TESTS")
      set_tests_properties(${target} PROPERTIES LABELS ${wing})
    endif()
  endif()
endfunction()

# inferd_wing_targets(WING...): adds a target for each wing. `cmake --build BUILD --target WING` builds the wing's libraries and unit
# tests, and runs these tests.
function(inferd_wing_targets)
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  foreach(wing ${ARGN})
    get_property(libraries GLOBAL PROPERTY INFERD_WING_LIBRARIES_${wing})
    get_property(tests GLOBAL PROPERTY INFERD_WING_TESTS_${wing})
    set(command)
    if(tests)
      set(command COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${CMAKE_BINARY_DIR} --output-on-failure -j ${cores} -L "^${wing}$" USES_TERMINAL)
    endif()
    add_custom_target(${wing} ${command} VERBATIM)
    if(libraries OR tests)
      add_dependencies(${wing} ${libraries} ${tests})
    endif()
  endforeach()
endfunction()

# `ninja inferd_benches` builds every micro-benchmark; the default target builds none.
add_custom_target(inferd_benches)

# inferd_test(NAME SOURCES ... LINK ...): adds one gtest program with one ctest entry.
function(inferd_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main Threads::Threads)
  target_compile_options(${name} PRIVATE ${INFERD_TEST_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM inferd_test_pch)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
  inferd_note_wing(TESTS ${name})
endfunction()

# inferd_engine(NAME EXTERNAL target... SOURCES ... [ALONE file...]): adds an engine plug-in, build/<preset>/lib/inferd/engines/<NAME>.so.
#
# The plug-in exports only the ABI's one symbol, and defines no unique symbols. It finds its libraries relative to itself, by old dtags, so
# that LD_LIBRARY_PATH cannot replace them.
function(inferd_engine name)
  cmake_parse_arguments(ARG "" "RPATH" "DEPS;EXTERNAL;SOURCES;ALONE" ${ARGN})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
    list(FILTER ARG_SOURCES EXCLUDE REGEX "_(test|bench)\\.cc$")
  endif()
  set(links)
  foreach(dep ${ARG_DEPS})
    string(REPLACE "/" "_" dep_id ${dep})
    list(APPEND links inferd_${dep_id})
  endforeach()
  add_library(engine_${name} MODULE ${ARG_SOURCES})
  target_include_directories(engine_${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(engine_${name} PRIVATE ${links} ${ARG_EXTERNAL} Threads::Threads)
  target_link_options(engine_${name} PRIVATE
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/engine.map -Wl,--disable-new-dtags -Wl,-z,defs)
  if(INFERD_SANITIZE)
    # The sanitizer's runtime is in the program, not in the plug-in, so -z defs would fail.
    set_target_properties(engine_${name} PROPERTIES LINK_OPTIONS
      "-Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/engine.map;-Wl,--disable-new-dtags")
  endif()
  set_target_properties(engine_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/engine.map
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/inferd/engines
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;$ORIGIN/../${name}")
  target_precompile_headers(engine_${name} REUSE_FROM inferd_pch)
  set_property(GLOBAL APPEND PROPERTY INFERD_ENGINES engine_${name})
  inferd_note_wing(LIBRARIES engine_${name})
endfunction()
