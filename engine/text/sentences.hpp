#pragma once

#include <string_view>
#include <vector>

namespace plimsoll::text {

// A text as consecutive sentences, which together are the whole text. A sentence ends before white
// space that contains a line break or follows one of . ! ? … and closing quotes or brackets; and
// after 。！？ without white space. By this rule, "Mr. Smith" is two sentences.
std::vector<std::string_view> sentences_of(std::string_view text);

// A text as consecutive words, each with the white space before it.
std::vector<std::string_view> words_of(std::string_view text);

// Without the white space around it.
std::string_view trimmed(std::string_view text);

}  // namespace plimsoll::text
