#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// The words used by the rules, as published with VADER (C.J. Hutto, github.com/cjhutto/
// vaderSentiment): intensifiers, dampeners, negations, and the parts of idioms.
namespace plimsoll::sentiment::vader {

// The role of a word in the rules. `other` stands for every word that no rule names.
enum class Role : std::uint8_t {
    other,
    ass,
    at,
    bad,
    beating,
    bomb,
    broken,
    bus,
    but,
    death,
    die,
    doubt,
    enough,
    for_,
    heart,
    just,
    kind,
    kiss,
    least,
    never,
    no,
    nor,
    of,
    or_,
    right,
    shit,
    so,
    sort,
    stop,
    the,
    this_,
    to,
    very,
    without,
    yeah,
};

struct RoleWord {
    std::string_view word;
    Role role;
};

std::span<const RoleWord> role_words();
std::span<const std::string_view> intensifiers();  // "very": +0.293 towards the word's own sign
std::span<const std::string_view> dampeners();     // "slightly": -0.293
std::span<const std::string_view> negations();     // besides every word that contains "n't"

}  // namespace plimsoll::sentiment::vader
