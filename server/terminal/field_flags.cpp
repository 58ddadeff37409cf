#include "server/terminal/field_flags.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

namespace plimsoll::terminal {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kLine = "\n  ";

Words split(std::string_view text, std::string_view separators) {
    Words parts;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(separators), text.size());
        if (end > 0) parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

bool is_number(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A flag that repeats is in the singular, its member in the plural.
bool same_word(const std::string& of_place, const std::string& of_flag) {
    return of_place == of_flag || of_place == of_flag + "s";
}

bool same_words(const Words& place, const Words& flag) {
    return std::ranges::equal(place, flag, same_word);
}

Words words_of(const std::string& input) { return split(input, "-_"); }

std::string with_rest(const std::string& input, std::span<const std::string> rest) {
    std::string inside;
    for (const auto& member : rest) inside += (inside.empty() ? "" : ".") + member;
    return inside.empty() ? input : input + " (" + inside + ")";
}

// "/quota/seconds" is --quota-seconds, "/scopes/0" is --scope, and "/job/args" is --job (args).
std::optional<std::string> input_at(const Words& members, std::span<const std::string> inputs) {
    for (std::size_t count = members.size(); count > 0; --count) {
        Words begin;
        for (std::size_t i = 0; i < count; ++i)
            for (auto& word : words_of(members[i])) begin.push_back(std::move(word));
        for (const auto& input : inputs)
            if (same_words(begin, words_of(input)))
                return with_rest(input, std::span(members).subspan(count));
    }
    // "device_class" is the class, "expires_at" is --expires: the longest that is a part counts.
    const auto member = words_of(members.front());
    const std::string* best = nullptr;
    std::size_t max = 0;
    for (const auto& input : inputs) {
        const auto words = words_of(input);
        if (words.size() <= max || std::ranges::search(member, words, same_word).empty()) continue;
        best = &input;
        max = words.size();
    }
    if (best == nullptr) return std::nullopt;
    return with_rest(*best, std::span(members).subspan(1));
}

std::optional<std::string> name_of_place(std::string_view place,
                                         std::span<const std::string> inputs) {
    auto members = split(place, "/");
    if (members.empty()) return std::nullopt;
    while (members.size() > 1 && is_number(members.back())) members.pop_back();
    // Of a job's arguments each is an input.
    if (members.size() > 1 && members.front() == "args") members.erase(members.begin());
    if (auto input = input_at(members, inputs)) return input;
    return with_rest(members.front(), std::span(members).subspan(1));
}

// Places of an error's message: at its beginning and at the beginning of each further line.
template <class Rename>
void rename_places(std::string& message, Rename&& rename) {
    for (std::size_t at = 0; at != std::string::npos;) {
        const auto end = message.find(':', at);
        if (end == std::string::npos) return;
        if (const auto name = rename(std::string_view(message).substr(at, end - at)))
            message.replace(at, end - at, *name);
        at = message.find(kLine, at);
        if (at != std::string::npos) at += kLine.size();
    }
}

}  // namespace

Error in_flags(Error error, std::span<const FieldFlag> flags) {
    rename_places(error.message, [&](std::string_view place) -> std::optional<std::string> {
        const auto flag = std::ranges::find_if(
            flags, [&](const FieldFlag& one) { return place.starts_with(one.place); });
        if (flag == flags.end()) return std::nullopt;
        std::string rest(place.substr(flag->place.size()));
        // Of a flag that repeats, the value's number says nothing.
        if (rest.starts_with('/') && is_number(rest.substr(1))) rest.clear();
        std::ranges::replace(rest, '/', '.');  // as --set takes them
        return std::string(flag->flag) + rest;
    });
    return error;
}

Error in_inputs(Error error, std::span<const std::string> inputs) {
    rename_places(error.message, [&](std::string_view place) -> std::optional<std::string> {
        const bool is_place = std::ranges::all_of(
            place, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '/'; });
        return is_place ? name_of_place(place, inputs) : std::nullopt;
    });
    if (error.where.starts_with('/') && error.where.find('/', 1) == std::string::npos)
        error.where = name_of_place(error.where, inputs).value_or(error.where);
    return error;
}

}  // namespace plimsoll::terminal
