#pragma once

// What nearly every file instantiates of nlohmann-json: compiled once, in json.cpp. Only where
// these headers are parsed once anyway; files include <nlohmann/json.hpp>.
#include <string>

#include <nlohmann/json.hpp>

namespace nlohmann {

extern template class basic_json<>;

namespace detail {

using PointerInput = iterator_input_adapter<const char*>;
using StringInput = iterator_input_adapter<std::string::const_iterator>;

extern template class serializer<json>;
extern template class json_sax_dom_parser<json>;
extern template class lexer<json, PointerInput>;
extern template class lexer<json, StringInput>;
extern template class parser<json, PointerInput>;
extern template class parser<json, StringInput>;

}  // namespace detail
}  // namespace nlohmann
