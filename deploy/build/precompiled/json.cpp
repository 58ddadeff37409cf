#include "deploy/build/precompiled/json.hpp"

namespace nlohmann {

template class basic_json<>;

namespace detail {

template class serializer<json>;
template class json_sax_dom_parser<json>;
template class lexer<json, PointerInput>;
template class lexer<json, StringInput>;
template class parser<json, PointerInput>;
template class parser<json, StringInput>;

}  // namespace detail
}  // namespace nlohmann
