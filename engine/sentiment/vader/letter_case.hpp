#pragma once

namespace plimsoll::sentiment::vader {

enum class LetterCase { none, upper, lower_or_title };

// Unicode's derived properties Uppercase and Lowercase (general category plus Other_Uppercase and
// Other_Lowercase, so Roman numerals and circled letters count), as used by Python's isupper.
LetterCase letter_case(char32_t code_point);

}  // namespace plimsoll::sentiment::vader
