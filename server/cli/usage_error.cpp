#include "server/cli/usage_error.hpp"

#include "engine/base/closest.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {
namespace {

// The command that was being parsed: `plimsoll`, `queue` or `share`.
const CLI::App& innermost(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : innermost(*parsed.back());
}

std::string path_of(const CLI::App& command) {
    const auto* parent = command.get_parent();
    return (parent != nullptr ? path_of(*parent) + " " : "") + command.get_name();
}

std::vector<std::string> command_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto* sub : command.get_subcommands([](const CLI::App*) { return true; }))
        if (!sub->get_name().empty()) names.push_back(sub->get_name());
    return names;
}

std::vector<std::string> flags_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto* app = &command; app != nullptr; app = app->get_parent()) {
        for (const auto* option : app->get_options())
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

std::string joined(const std::vector<std::string>& names) {
    std::string list;
    for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

// CLI11's messages, and ours for them; $1 and so on are the pattern's groups.
struct Wording {
    const char* pattern;
    const char* words;
};
const Wording kWordings[] = {
    {"(.+) excludes (.+)", "$1 cannot be combined with $2"},
    {"(.+) requires (.+)", "$1 has no effect without $2"},
    {"(.+): Value (.*) not in range (.+) to (.+)", "$1: must be from $3 to $4, not $2"},
    {"(.+): 1 required .* missing", "$1 needs a value"},
    {R"(At least 1 option from \[(.+)\] is required)", "Give at least one of $1"},
    {R"(Exactly 1 option from \[(.+)\] is required.*)", "Give exactly one of $1"},
    {"(.+): File does not exist: (.*)", "$1: there is no file $2"},
    {"(.+): File is actually a directory: (.*)", "$1: $2 is a folder, not a file"},
    {"(.+): Directory does not exist: (.*)", "$1: there is no folder $2"},
    {"(.+): Directory is actually a file: (.*)", "$1: $2 is a file, not a folder"},
};

// "--format: xlsx not in {json,jsonl,csv}"
std::optional<std::string> not_a_member(const std::string& text) {
    std::smatch found;
    if (!std::regex_match(text, found, std::regex("(.+): (.*) not in \\{(.*)\\}"))) return {};
    std::vector<std::string> known;
    std::istringstream list(found[3]);
    for (std::string name; std::getline(list, name, ',');) known.push_back(name);
    return found.str(1) + ": must be one of " + joined(known) + ", not \"" + found.str(2) + "\"." +
           did_you_mean(found.str(2), known);
}

// "Could not convert: --lora = abc"
std::optional<std::string> not_a_number(const CLI::App& command, const std::string& text) {
    std::smatch found;
    if (!std::regex_match(text, found, std::regex("Could not convert: (.+) = (.*)"))) return {};
    const auto* option = command.get_option_no_throw(found[1]);
    const auto type = option == nullptr ? "" : option->get_type_name();
    return found.str(1) + ": must be a " + (type.starts_with("FLOAT") ? "number" : "whole number") +
           ", not \"" + found.str(2) + "\".";
}

// Adds the full stop if it is missing.
std::string sentence_of(const CLI::App& command, const CLI::ParseError& error) {
    const std::string text = error.what();
    if (auto words = not_a_member(text)) return *words;
    if (auto words = not_a_number(command, text)) return *words;
    for (const auto& [pattern, words] : kWordings) {
        const std::regex known(pattern);
        if (!std::regex_match(text, known)) continue;
        const auto sentence = std::regex_replace(text, known, words) + ".";
        const bool lists = std::string_view(pattern).find("from \\[") != std::string_view::npos;
        return lists ? std::regex_replace(sentence, std::regex(","), ", ") : sentence;
    }
    return text + ".";
}

}  // namespace

Error unknown_command(const CLI::App& command, const std::string& word) {
    const bool flag = word.starts_with("-");
    const auto known = flag ? flags_of(command) : command_names(command);
    const auto path = path_of(command);
    std::string text;
    if (flag)
        text = "`" + path + "` has no flag " + word.substr(0, word.find('=')) + ".";
    else if (known.empty())
        text = "`" + path + "` does not accept the argument \"" + word + "\".";
    else
        text = "`" + path + "` has no command \"" + word + "\".";
    const auto meant = did_you_mean(word.substr(0, word.find('=')), known);
    text += meant;
    // A group has few enough commands to list them.
    if (!flag && meant.empty() && !known.empty() && command.get_parent() != nullptr)
        text += " Commands: " + joined(known) + ".";
    return {Errc::invalid_input, text + " See `" + path + " --help`.", {}};
}

std::string listing_command(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_name() != "RequiredError" || !app.remaining(true).empty()) return {};
    const auto below = innermost(app).get_subcommands([](const CLI::App*) { return true; });
    for (const std::string name : {"list", "show"}) {
        const auto found =
            std::ranges::find(below, name, [](auto* sub) { return sub->get_name(); });
        if (found == below.end()) continue;
        const auto options = (*found)->get_options();
        if (std::ranges::none_of(options, [](auto* option) { return option->get_required(); }))
            return name;
    }
    return {};
}

std::vector<std::string> inputs_of(const CLI::App& app) {
    const auto& command = innermost(app);
    auto names = flags_of(command);
    for (const auto* option : command.get_options())
        if (option->get_positional()) names.push_back(option->get_name(true, false));
    return names;
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const auto& command = innermost(app);
    const auto left = app.remaining(true);
    // Unknown words come first: a missing command is usually a mistyped one. A value after an
    // unknown flag is not the mistake.
    const auto flag =
        std::ranges::find_if(left, [](const auto& word) { return word.starts_with("-"); });
    if (flag != left.end()) return unknown_command(command, *flag);
    if (!left.empty()) return unknown_command(command, left.front());
    const auto path = path_of(command);
    if (error.get_name() == "RequiredError" && !command_names(command).empty()) {
        return {
            Errc::invalid_input, "`" + path + "` needs a command. See `" + path + " --help`.", {}};
    }
    return {Errc::invalid_input, sentence_of(command, error) + " See `" + path + " --help`.", {}};
}

}  // namespace plimsoll::cli
