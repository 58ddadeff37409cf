#include "server/cli/usage_error.hpp"

#include "engine/base/closest.hpp"

#include <algorithm>
#include <string>
#include <vector>

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
    for (const auto* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
        if (!sub->get_name().empty()) names.push_back(sub->get_name());
    }
    return names;
}

std::vector<std::string> flags_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto* app = &command; app != nullptr; app = app->get_parent()) {
        for (const auto* option : app->get_options()) {
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
        }
    }
    return names;
}

Error unknown(const CLI::App& command, const std::string& word) {
    const bool flag = word.starts_with("-");
    const auto known = flag ? flags_of(command) : command_names(command);
    const auto path = path_of(command);
    std::string text;
    if (flag) {
        text = "`" + path + "` has no flag " + word.substr(0, word.find('=')) + ".";
    } else if (known.empty()) {
        text = "`" + path + "` takes no further argument, \"" + word + "\".";
    } else {
        text = "`" + path + "` has no command \"" + word + "\".";
    }
    text += did_you_mean(word.substr(0, word.find('=')), known);
    return {Errc::invalid_input, text + " See `" + path + " --help`.", {}};
}

// CLI11's sentences about two flags, in the words of ours.
std::string sentence_of(const CLI::ParseError& error) {
    std::string text = error.what();
    const auto reword = [&](const char* name, std::string_view from, std::string_view to) {
        const auto at = error.get_name() == name ? text.find(from) : std::string::npos;
        if (at != std::string::npos) text.replace(at, from.size(), to);
    };
    reword("ExcludesError", " excludes ", " cannot be combined with ");
    reword("RequiresError", " requires ", " has no effect without ");
    return text;
}

}  // namespace

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

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const auto& command = innermost(app);
    const auto left = app.remaining(true);
    // What was not understood comes first: a missing command is mostly a mistyped one. A value
    // after an unknown flag is not the mistake.
    const auto flag =
        std::ranges::find_if(left, [](const auto& word) { return word.starts_with("-"); });
    if (flag != left.end()) return unknown(command, *flag);
    if (!left.empty()) return unknown(command, left.front());
    const auto path = path_of(command);
    if (error.get_name() == "RequiredError" && !command_names(command).empty()) {
        return {
            Errc::invalid_input, "`" + path + "` needs a command. See `" + path + " --help`.", {}};
    }
    return {Errc::invalid_input, sentence_of(error) + ". See `" + path + " --help`.", {}};
}

}  // namespace plimsoll::cli
