#include "engine/sentiment/vader/letter_case.hpp"

#include <algorithm>
#include <span>

#include <utf8proc.h>

namespace plimsoll::sentiment::vader {
namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// Unicode 15.0, PropList.txt.
constexpr Range kOtherUppercase[] = {
    {0x2160, 0x216F}, {0x24B6, 0x24CF}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189},
};
constexpr Range kOtherLowercase[] = {
    {0xAA, 0xAA},       {0xBA, 0xBA},       {0x2B0, 0x2B8},     {0x2C0, 0x2C1},
    {0x2E0, 0x2E4},     {0x345, 0x345},     {0x37A, 0x37A},     {0x10FC, 0x10FC},
    {0x1D2C, 0x1D6A},   {0x1D78, 0x1D78},   {0x1D9B, 0x1DBF},   {0x2071, 0x2071},
    {0x207F, 0x207F},   {0x2090, 0x209C},   {0x2170, 0x217F},   {0x24D0, 0x24E9},
    {0x2C7C, 0x2C7D},   {0xA69C, 0xA69D},   {0xA770, 0xA770},   {0xA7F2, 0xA7F4},
    {0xA7F8, 0xA7F9},   {0xAB5C, 0xAB5F},   {0xAB69, 0xAB69},   {0x10780, 0x10780},
    {0x10783, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA}, {0x1E030, 0x1E06D},
};

bool contains(std::span<const Range> ranges, char32_t c) {
    const auto at = std::ranges::lower_bound(ranges, c, {}, &Range::last);
    return at != ranges.end() && at->first <= c;
}

}  // namespace

LetterCase letter_case(char32_t c) {
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
        case UTF8PROC_CATEGORY_LU:
            return LetterCase::upper;
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
            return LetterCase::lower_or_title;
        default:
            if (contains(kOtherUppercase, c)) return LetterCase::upper;
            if (contains(kOtherLowercase, c)) return LetterCase::lower_or_title;
            return LetterCase::none;
    }
}

}  // namespace plimsoll::sentiment::vader
