# What every folder of Plimsoll is built with: flags, the compiler cache, and one function per kind
# of target. A folder is one static library named after its path (engine/waves is
# plimsoll_engine_waves); headers are included from the repository root.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# -O2 keeps asserts out and compiles faster than -O3; kernels that gain from more say so themselves.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")

option(PLIMSOLL_WERROR "Treat warnings as errors" OFF)
option(PLIMSOLL_PRECOMPILE "Parse common headers once for all folders" OFF)
set(PLIMSOLL_SANITIZE "" CACHE STRING "Sanitizers to build with, for example address,undefined")

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(PLIMSOLL_WERROR)
  add_compile_options(-Werror)
endif()
if(PLIMSOLL_PRECOMPILE)
  # Without its time in it, the compiler cache knows a precompiled header again.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
if(PLIMSOLL_SANITIZE)
  # Undefined behaviour is an error, not a line in the log.
  add_compile_options(-fsanitize=${PLIMSOLL_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PLIMSOLL_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()

find_program(PLIMSOLL_CCACHE ccache)
if(PLIMSOLL_CCACHE)
  # Paths relative to the source folder, so that several checkouts share one cache. The compiler says what a file
  # includes: preprocessing for the cache alone took a tenth of the time (the endpoints, CPU time). With tcmalloc the
  # compiler takes 7 % less (two folders).
  find_library(PLIMSOLL_TCMALLOC tcmalloc_minimal)
  string(REGEX REPLACE ".*-NOTFOUND" "" preloaded "${PLIMSOLL_TCMALLOC}")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    LD_PRELOAD=${preloaded} ${PLIMSOLL_CCACHE})
endif()

include_directories(${CMAKE_SOURCE_DIR})
# The programs (plimsoll, plimsoll-engine) lie side by side: one execs the other.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# Several files are compiled as one, because most of a file's time goes to the headers that it shares
# with its neighbours. Names in the anonymous namespaces of a folder are therefore distinct.
option(PLIMSOLL_BUNDLE "Compile up to sixty files of a folder as one" ON)
function(plimsoll_bundle target)
  if(PLIMSOLL_BUNDLE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 60)
  endif()
endfunction()

# From here on, a release inlines and optimises little and runs slower. Less inlining compiles a quarter faster, -O1 some
# 9 % (the endpoints and the command line, CPU time).
macro(plimsoll_inline_less)
  add_compile_options("$<$<CONFIG:Release>:SHELL:-O1 -mllvm -inline-threshold=25>")
endmacro()

# Parses what most folders start with once: the engine's headers with its lowest folder, the server's with
# Boost, those of unit tests with tests/precompiled. These are not optimised, as their headers are not: they compile in
# half of the time (five of the largest, CPU time), and compute little themselves.
function(plimsoll_precompile target path)
  if(NOT PLIMSOLL_PRECOMPILE)
    return()
  endif()
  # All of the server links Boost, directly or by its neighbours.
  if(path MATCHES "^(engine|bench)/" AND NOT path MATCHES "^(engine/base$|bench/(http|telemetry)/)")
    set(donor plimsoll_engine_base)
  elseif(path MATCHES "^unit/engine/")
    set(donor plimsoll_precompiled_engine_tests)
  elseif(path MATCHES "^(server|bench)/")
    set(donor plimsoll_boost)
  elseif(path MATCHES "^(unit/server/|conformance|kind)")
    set(donor plimsoll_precompiled_server_tests)
  else()
    return()
  endif()
  if(donor MATCHES "tests$")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")  # must be compiled as the headers are
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${donor})
endfunction()

# plimsoll_folder(folder [ROOMS folders...] [LINK targets...]): every .cpp of this folder and of its rooms but
# main.cpp, as one library. New files are picked up without touching the build description.
function(plimsoll_folder folder)
  cmake_parse_arguments(ARG "" "" "ROOMS;LINK" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${folder})
  string(REPLACE "/" "_" name ${path})
  list(TRANSFORM ARG_ROOMS REPLACE "(.+)" "${folder}/\\1/*.cpp" OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${patterns})
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(plimsoll_${name} STATIC ${sources})
    target_link_libraries(plimsoll_${name} PUBLIC ${ARG_LINK})
    plimsoll_bundle(plimsoll_${name})
    plimsoll_precompile(plimsoll_${name} ${path})
  else()
    add_library(plimsoll_${name} INTERFACE)
    target_link_libraries(plimsoll_${name} INTERFACE ${ARG_LINK})
  endif()
endfunction()

# plimsoll_unit_tests(folder [ROOMS folders...] LINK targets...): every .cpp of this folder and of its rooms, as
# one test program.
function(plimsoll_unit_tests folder)
  cmake_parse_arguments(ARG "" "" "ROOMS;LINK" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/tests ${folder})
  string(REPLACE "/" "_" name ${path})
  list(TRANSFORM ARG_ROOMS REPLACE "(.+)" "${folder}/\\1/*.cpp" OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${patterns})
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  plimsoll_bundle(test_${name})
  plimsoll_precompile(test_${name} ${path})
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  plimsoll_test(${path} LABEL unit COMMAND test_${name})
endfunction()

# plimsoll_benchmark(name source [LINK targets...]): a program that tests/bench runs, built when it is asked for.
function(plimsoll_benchmark name source)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  plimsoll_precompile(${name} bench/${source})
endfunction()

# plimsoll_test(name LABEL label COMMAND command... [TIMEOUT seconds]): a test of any other kind, run
# from the repository root. It finds the built programs in the folder $PLIMSOLL_BIN, compiled kernels in
# $PLIMSOLL_TEST_CACHE, and the pinned node and npm in PATH; the command's own name is looked up before that, so these
# start by `env node`.
function(plimsoll_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "COMMAND" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)  # a machine may be slow, and busy with other tests
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "PLIMSOLL_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};PLIMSOLL_TEST_CACHE=${CMAKE_BINARY_DIR}/tests/cache"
    ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:${PLIMSOLL_NODE}")
  if(name IN_LIST PLIMSOLL_LONG_TESTS)
    set_tests_properties(${name} PROPERTIES COST 60)
  elseif(name IN_LIST PLIMSOLL_LONG_KERNEL_TESTS)
    set_tests_properties(${name} PROPERTIES COST 50)
  endif()
endfunction()
