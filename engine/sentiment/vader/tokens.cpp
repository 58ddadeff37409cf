#include "engine/sentiment/vader/tokens.hpp"

#include "engine/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
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
        case UTF8PROC_CATEGORY_LU: return LetterCase::upper;
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT: return LetterCase::lower_or_title;
        default:
            if (contains(kOtherUppercase, c)) return LetterCase::upper;
            if (contains(kOtherLowercase, c)) return LetterCase::lower_or_title;
            return LetterCase::none;
    }
}

namespace {

constexpr char32_t kKelvinSign = 0x212A;

constexpr auto kPunctuation = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view{"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"})
        table[static_cast<std::uint8_t>(c)] = true;
    return table;
}();

bool is_punctuation(char c) { return kPunctuation[static_cast<std::uint8_t>(c)]; }

std::size_t count_code_points(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text) count += (c & 0xC0) != 0x80;
    return count;
}

}  // namespace

void Tokens::split(std::string_view text) {
    // Between two tokens there is at least one byte.
    if (tokens_.size() < text.size() / 2 + 1) tokens_.resize(text.size() / 2 + 1);
    count_ = 0;
    hits_.clear();
    turn_.reset();
    upper_ = 0;
    classify(text);
    // A change between space and other shows as a set bit; changes alternate start and end. The
    // padding after the text ends the last token.
    bool inside = false;
    std::size_t begin = 0;
    std::uint64_t carry = 0;
    for (std::size_t block = 0; block < spaces_.size(); ++block) {
        const std::uint64_t filled = ~spaces_[block];
        std::uint64_t edges = filled ^ ((filled << 1) | carry);
        carry = filled >> 63;
        for (; edges != 0; edges &= edges - 1) {
            const std::size_t at =
                block * kBlock + static_cast<std::size_t>(std::countr_zero(edges));
            if (inside)
                add(begin, at);
            else
                begin = at;
            inside = !inside;
        }
    }
}

void Tokens::classify(std::string_view text) {
    const std::size_t blocks = text.size() / kBlock + 1;
    spaces_.resize(blocks);
    letters_.resize(blocks);
    if (lowered_.size() < blocks * kBlock + WordTable::kLongestWord)
        lowered_.resize(blocks * kBlock + WordTable::kLongestWord);
    exclamations_ = questions_ = 0;
    std::uint64_t apostrophes = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
        const char* source = text.data() + block * kBlock;
        char last[kBlock];
        if (block + 1 == blocks) {
            const std::size_t rest = text.size() % kBlock;
            std::memset(last, ' ', kBlock);
            if (rest != 0) std::memcpy(last, source, rest);
            source = last;
        }
        const ByteMasks masks = classify_block(source, lowered_.data() + block * kBlock);
        spaces_[block] = masks.space;
        letters_[block] = {masks.upper, masks.lower, masks.high};
        exclamations_ += static_cast<std::size_t>(std::popcount(masks.exclamation));
        questions_ += static_cast<std::size_t>(std::popcount(masks.question));
        apostrophes |= masks.apostrophe;
    }
    apostrophes_ = apostrophes != 0;
}

Tokens::Letters Tokens::letters_between(std::size_t begin, std::size_t end) const {
    Letters any{};
    while (begin < end) {
        const Letters& block = letters_[begin / kBlock];
        const std::size_t shift = begin % kBlock;
        const std::size_t count = std::min(end - begin, kBlock - shift);
        const std::uint64_t mask = (~std::uint64_t{0} >> (kBlock - count)) << shift;
        any.upper |= block.upper & mask;
        any.lower |= block.lower & mask;
        any.high |= block.high & mask;
        begin += count;
    }
    return any;
}

void Tokens::add(std::size_t begin, std::size_t end) {
    const Letters letters = letters_between(begin, end);
    if (letters.high != 0) return add_beyond_ascii(begin, end);
    const char* data = lowered_.data();
    std::size_t first = begin;
    std::size_t last = end;
    while (first < last && is_punctuation(data[first])) ++first;
    while (first < last && is_punctuation(data[last - 1])) --last;
    // The remainder of an emoticon is short: keep the token whole.
    if (last - first <= 2) {
        first = begin;
        last = end;
    }
    push(table_.find(data + first, last - first), {data + first, last - first},
         letters.upper != 0 && letters.lower == 0);
}

// No listed word has a letter beyond ASCII and the Kelvin sign is the only such code point whose
// lower case is ASCII, so full Unicode lowering comes down to that one. (U+0130 becomes an i with a
// combining dot, which no word has either.)
void Tokens::add_beyond_ascii(std::size_t begin, std::size_t end) {
    std::string_view token{lowered_.data() + begin, end - begin};
    std::string_view core = token;
    while (!core.empty() && is_punctuation(core.front())) core.remove_prefix(1);
    while (!core.empty() && is_punctuation(core.back())) core.remove_suffix(1);
    if (count_code_points(core) > 2) token = core;

    const Letters letters = letters_between(begin, end);
    bool upper = letters.upper != 0;
    bool other_case = letters.lower != 0;
    folded_.clear();
    for (std::size_t at = 0; at < token.size();) {
        const text::Decoded decoded = text::decode_utf8(token, at);
        if (decoded.code_point >= 0x80) {
            const LetterCase letter = letter_case(decoded.code_point);
            upper |= letter == LetterCase::upper;
            other_case |= letter == LetterCase::lower_or_title;
        }
        if (decoded.code_point == kKelvinSign)
            folded_.push_back('k');
        else
            folded_.append(token, at, decoded.length);
        at += decoded.length;
    }
    const std::size_t length = folded_.size();
    folded_.append(WordTable::kLongestWord, '\0');
    push(table_.find(folded_.data(), length), {folded_.data(), length}, upper && !other_case);
}

void Tokens::push(const Word* word, std::string_view lowered, bool upper) {
    Token& token = tokens_[count_];
    if (word == nullptr) {
        token.word = {};
        token.word.negates = apostrophes_ && lowered.find("n't") != std::string_view::npos;
    } else {
        token.word = *word;
        const auto index = static_cast<std::uint32_t>(count_);
        if (word->in_lexicon) hits_.push_back(index);
        if (word->role == Role::but && !turn_) turn_ = index;
    }
    token.upper = upper;
    upper_ += upper;
    ++count_;
}

}  // namespace plimsoll::sentiment::vader
