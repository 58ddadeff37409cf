#pragma once

#include "server/terminal/field_flags.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

// The group of the options by which a command also understands what other tools call a flag: help
// and completion show the flag alone.
inline constexpr const char* kOtherNames = "Other names";

// A model's name as people write it: "FinBERT", or with a space after a comma.
inline std::string model_name(std::string text) {
    std::erase(text, ' ');
    for (auto& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

// null if the text is not a number of this type ("integer" or "number").
inline nlohmann::json number_of(std::string_view type, const std::string& text) {
    const auto* end = text.data() + text.size();
    std::int64_t whole = 0;
    double real = 0;
    const auto read = type == "integer" ? std::from_chars(text.data(), end, whole)
                                        : std::from_chars(text.data(), end, real);
    if (read.ec != std::errc() || read.ptr != end || !std::isfinite(real)) return nullptr;
    return type == "integer" ? nlohmann::json(whole) : nlohmann::json(real);
}

inline bool is_listed(std::string_view word, std::string_view words) {
    return ("," + std::string(words) + ",").find("," + std::string(word) + ",") !=
           std::string::npos;
}

// Of flags with x-flag in openapi.yaml: a `Flag` is of http::argument_flags(), and an `Option` is
// CLI11's. This room includes neither.
template <class Flag>
bool is_number(const Flag& flag) {
    return flag.type == "integer" || flag.type == "number";
}

// The contract checks ranges.
template <class Flag>
std::string broken_rule(const Flag& flag, const std::string& text) {
    if (is_number(flag) && number_of(flag.type, text).is_null()) {
        return std::string("must be a ") + (flag.type == "integer" ? "whole number" : "number") +
               ", not \"" + text + "\"";
    }
    if (flag.words.empty() || is_listed(text, flag.words)) return {};
    return text + " not in {" + std::string(flag.words) + "}";  // as CLI11's IsMember
}

template <class Flag, class Option>
void restrict_to_flag(Option& option, const Flag& flag) {
    flag.is_list ? option.delimiter(',') : option.expected(1);
    option.check([&flag](const std::string& text) { return broken_rule(flag, text); });
    if (is_number(flag)) option.type_name(flag.type == "integer" ? "INT" : "FLOAT");
}

// A job's arguments that a command takes by flags.
template <class Flag>
class ArgumentOptions {
  public:
    // Those of the schema `args` that the command takes.
    template <class Flags>
    ArgumentOptions(const Flags& all, std::string_view args, std::string_view command) {
        for (const Flag& flag : all) {
            if (flag.args != args) continue;
            if (flag.commands.empty() || is_listed(command, flag.commands)) flags_.push_back(&flag);
        }
    }

    // Outlives `command`.
    template <class Command>
    void add_to(Command& command) {
        for (const auto* flag : flags_) {
            auto* option =
                command.add_option(std::string(flag->name), given_[flag], std::string(flag->help));
            restrict_to_flag(*option, *flag);
        }
    }

    void put_into(nlohmann::json& args) const {
        for (const auto& [flag, texts] : given_) {
            if (texts.empty()) continue;
            auto values = nlohmann::json::array();
            for (const auto& text : texts) values.push_back(value_of(*flag, text));
            args[nlohmann::json::json_pointer(std::string(flag->pointer))] =
                flag->is_list ? std::move(values) : std::move(values.front());
        }
    }

    // A refusal of a job with these arguments, by their flags.
    Error in_flags(Error error) const {
        std::map<std::string, std::string_view, std::greater<>>
            names;  // "/args/a_b" before "/args/a"
        for (const auto* flag : flags_) names["/args" + std::string(flag->pointer)] = flag->name;
        std::vector<FieldFlag> fields;
        for (const auto& [place, flag] : names) fields.push_back({place, flag});
        return terminal::in_flags(std::move(error), fields);
    }

  private:
    static nlohmann::json value_of(const Flag& flag, const std::string& text) {
        return flag.type == "string" ? nlohmann::json(text) : number_of(flag.type, text);
    }

    std::vector<const Flag*> flags_;
    std::map<const Flag*, std::vector<std::string>> given_;
};

template <class T, class Flag>
T need(Result<T> result, const ArgumentOptions<Flag>& options) {
    if (!result) throw Refused(options.in_flags(std::move(result.error())));
    return std::move(*result);
}

}  // namespace plimsoll::terminal
