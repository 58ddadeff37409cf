cmake_minimum_required(VERSION 3.25)
# Writes the header TO with the migrations FROM/NNNN_name.sql, in order, each with its SHA-256.
file(GLOB files ${FROM}/*.sql)
list(SORT files)
set(entries "")
set(expected 1)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  if(NOT name MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)$")
    message(FATAL_ERROR "${file}: migrations are called NNNN_name.sql")
  endif()
  set(title ${CMAKE_MATCH_2})
  math(EXPR version "1${CMAKE_MATCH_1} - 10000")
  if(NOT version EQUAL expected)
    message(FATAL_ERROR "${file}: number ${expected} is missing or doubled")
  endif()
  math(EXPR expected "${expected} + 1")
  file(SHA256 ${file} sha256)
  file(READ ${file} text)
  # A text that did the same, and could not be kept: databases that have it are as good.
  string(REGEX MATCH "^-- Formerly: ([0-9a-f]+)" formerly "${text}")
  set(formerly "${CMAKE_MATCH_1}")
  string(APPEND entries "    {${version}, \"${title}\", \"${sha256}\", R\"plimsoll(${text})plimsoll\"sv, \"${formerly}\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${TO} @ONLY CONTENT "// Generated from migrations/*.sql.
#pragma once

#include <initializer_list>
#include <string_view>

namespace plimsoll::migrations {

struct Migration {
    int version;
    std::string_view name;    // of the file, without number and suffix
    std::string_view sha256;  // of the file, in hexadecimal
    std::string_view sql;
    std::string_view formerly = {};  // the SHA-256 of an earlier text of the same effect
};

// sv: to count the characters of so long a text takes a compiler more steps than it allows.
using namespace std::string_view_literals;
inline constexpr std::initializer_list<Migration> all = {
@entries@};

}  // namespace plimsoll::migrations
")
