cmake_minimum_required(VERSION 3.25)
# Turns the named statements of FROM/*.sql and of the kinds (KINDS/<kind>/store/*.sql) into constants
# of the header TO. A statement begins with a line "-- name: area.what" and ends before the next one; the constant is sql::area_what. One that
# says "-- name: area.what (prepared)" stays prepared in a session under a name of its own.
file(GLOB files ${FROM}/*.sql ${KINDS}/*/store/*.sql)
list(SORT files)
set(constants "")
set(names "")
foreach(file IN LISTS files)
  file(READ ${file} rest)
  string(FIND "${rest}" "-- name:" at)
  while(NOT at EQUAL -1)
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(SUBSTRING "${rest}" 8 -1 rest)
    string(FIND "${rest}" "\n" line_end)
    string(SUBSTRING "${rest}" 0 ${line_end} name)
    string(STRIP "${name}" name)
    set(is_prepared FALSE)
    if(name MATCHES "^(.*) \\(prepared\\)$")
      set(name "${CMAKE_MATCH_1}")
      set(is_prepared TRUE)
    endif()
    if(NOT name MATCHES "^[a-z][a-z0-9_.]*$")
      message(FATAL_ERROR "${file}: \"${name}\" is not a query name")
    endif()
    string(SUBSTRING "${rest}" ${line_end} -1 rest)
    string(FIND "${rest}" "-- name:" at)
    if(at EQUAL -1)
      set(text "${rest}")
    else()
      string(SUBSTRING "${rest}" 0 ${at} text)
    endif()
    string(STRIP "${text}" text)
    string(REGEX REPLACE ";$" "" text "${text}")
    string(REPLACE "." "_" constant "${name}")
    set(prepared "nullptr")
    if(is_prepared)
      string(SHA256 hash "${text}")
      string(SUBSTRING "${hash}" 0 12 hash)
      set(prepared "\"plimsoll.${name}.${hash}\"")
    endif()
    string(APPEND constants
      "inline constexpr Query ${constant}{\"${name}\", R\"plimsoll(${text})plimsoll\", ${prepared}};\n")
    string(APPEND names "    ${constant},\n")
  endwhile()
endforeach()
file(CONFIGURE OUTPUT ${TO} @ONLY CONTENT "// Generated from server/postgres/queries and server/kinds/*/store.
#pragma once

#include <initializer_list>

#include \"server/postgres/driver/statement.hpp\"

namespace plimsoll::postgres::sql {

@constants@
inline constexpr std::initializer_list<Query> all = {
@names@};

}  // namespace plimsoll::postgres::sql
")
