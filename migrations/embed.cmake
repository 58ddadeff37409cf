cmake_minimum_required(VERSION 3.25)
# Writes the header TO with the database's sources below FROM: versions in order, functions after those that they
# need, rights; each with its SHA-256.

# The text of a file, or of the files of a folder in the order of their names, and its hash. Comment lines do not count
# in the hash, so that a comment may be reworded without a new version.
function(read_sources text_name sha256_name)
  set(text "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} part)
    string(APPEND text "${part}")
  endforeach()
  string(REGEX REPLACE "(^|\n)[ \t]*--[^\n]*" "" code "${text}")
  string(SHA256 sha256 "${code}")
  set(${text_name} "${text}" PARENT_SCOPE)
  set(${sha256_name} ${sha256} PARENT_SCOPE)
endfunction()

# A literal of several pieces: to count the characters of one so long takes a compiler more steps than it allows.
function(literal name text)
  set(${name} "R\"plimsoll(${text})plimsoll\"sv" PARENT_SCOPE)
endfunction()

set(versions "")
set(expected 1)
file(GLOB paths ${FROM}/versions/*)
list(SORT paths)
foreach(path IN LISTS paths)
  get_filename_component(name ${path} NAME_WE)
  if(NOT name MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)$")
    message(FATAL_ERROR "${path}: versions are called NNNN_name")
  endif()
  set(title ${CMAKE_MATCH_2})
  math(EXPR number "1${CMAKE_MATCH_1} - 10000")
  if(NOT number EQUAL expected)
    message(FATAL_ERROR "${path}: number ${expected} is missing or duplicated")
  endif()
  math(EXPR expected "${expected} + 1")
  set(files ${path})
  if(IS_DIRECTORY ${path})
    file(GLOB files ${path}/*.sql)
    list(SORT files)
  endif()
  read_sources(text sha256 ${files})
  literal(text "${text}")
  string(APPEND versions "    {${number}, \"${title}\", \"${sha256}\",\n     ${text}},\n")
endforeach()

set(functions "")
set(created "")
file(GLOB waiting ${FROM}/functions/*/*.sql)
list(SORT waiting)
while(waiting)
  set(later "")
  set(last_created "${created}")
  foreach(path IN LISTS waiting)
    get_filename_component(name ${path} NAME_WE)
    read_sources(text sha256 ${path})
    set(needs "")
    if("\n${text}" MATCHES "\n-- needs: ([^\n]*)\n")
      string(REPLACE ", " ";" needs "${CMAKE_MATCH_1}")
    endif()
    list(REMOVE_ITEM needs ${created})
    if(needs)
      list(APPEND later ${path})
    else()
      list(APPEND created ${name})
      literal(text "${text}")
      string(APPEND functions "    {\"${name}\", \"${sha256}\",\n     ${text}},\n")
    endif()
  endforeach()
  if(created STREQUAL last_created)
    message(FATAL_ERROR "Functions that need each other, or one that does not exist: ${later}")
  endif()
  set(waiting "${later}")
endwhile()

read_sources(rights rights_sha256 ${FROM}/rights.sql)
literal(rights "${rights}")
file(READ ${FROM}/set_version set)
string(STRIP "${set}" set)

file(CONFIGURE OUTPUT ${TO} @ONLY CONTENT "// Generated from migrations/.
#pragma once

#include \"migrations/schema.hpp\"

namespace plimsoll::migrations {

using namespace std::string_view_literals;

inline constexpr Version kVersions[] = {
@versions@};

// Each behind those that it needs.
inline constexpr Function kFunctions[] = {
@functions@};

inline constexpr Schema kSchema = {
    kVersions, kFunctions, {\"rights\", \"@rights_sha256@\",
     @rights@},
    @set@};

}  // namespace plimsoll::migrations
")
