#include "server/cli/cli.hpp"

#include "server/base/log.hpp"
#include "server/base/text_table.hpp"
#include "server/cli/commands.hpp"
#include "server/cli/usage_error.hpp"
#include "server/jobs/command.hpp"
#include "server/terminal/argument_options.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {
namespace {

using terminal::ExitStatus;

// Formats help: subcommands come before flags, because some commands have many flags, and
// descriptions wrap at the terminal's width.
class HelpFormat : public CLI::Formatter {
  public:
    explicit HelpFormat(const terminal::Terminal& terminal);

    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
    std::string make_subcommand(const CLI::App* sub) const override;
    std::string make_group(std::string group, bool is_positional,
                           std::vector<const CLI::Option*> options) const override;
    std::string make_option(const CLI::Option* option, bool is_positional) const override;

  private:
    std::string most_used(const CLI::App& app) const;
    // Wraps a text at the width, and keeps the indent of its lines.
    std::string kept(const std::string& text) const;
    std::string entry(const std::string& name, const std::string& description) const;

    std::size_t width_;  // of the terminal; 0 on a pipe: unlimited
};

constexpr std::size_t kNames = 30;        // columns of names
constexpr std::size_t kNamesNarrow = 20;  // on a terminal narrower than kNarrow
constexpr std::size_t kNarrow = 72;

constexpr const char* kMaxUsed[] = {"estimate", "submit",  "jobs",  "watch", "report",
                                    "results",  "devices", "login", "serve", "doctor"};

// `plimsoll help all`.
bool asks_for_all(const CLI::App& app) {
    const auto* help = app.get_subcommand("help");
    return help->parsed() && help->get_option("command")->results() == CLI::results_t{"all"};
}

HelpFormat::HelpFormat(const terminal::Terminal& terminal) : width_(table_width(terminal)) {
    column_width(width_ != 0 && width_ < kNarrow ? kNamesNarrow : kNames);
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode mode) const {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    const auto footer = make_footer(app);
    auto groups = make_groups(app, mode);
    while (groups.ends_with("\n\n")) groups.pop_back();  // before a group that is not shown
    return kept(make_description(app)) + make_usage(app, std::move(name)) + make_positionals(app) +
           (app->get_parent() == nullptr && !asks_for_all(*app) ? most_used(*app)
                                                                : make_subcommands(app, mode)) +
           groups + (footer.empty() ? "" : "\n" + kept(footer));
}

std::string HelpFormat::make_group(std::string group, bool is_positional,
                                   std::vector<const CLI::Option*> options) const {
    if (group == terminal::kOtherNames) return "";
    return Formatter::make_group(std::move(group), is_positional, std::move(options));
}

std::string HelpFormat::most_used(const CLI::App& app) const {
    std::string out = "\nCommands:\n";
    for (const char* name : kMaxUsed) out += make_subcommand(app.get_subcommand(name));
    return out + entry("  help all", "Show all commands");
}

std::string HelpFormat::make_subcommand(const CLI::App* sub) const {
    return entry("  " + sub->get_name(), sub->get_description());
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
    return entry("  " + make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
}

std::string HelpFormat::kept(const std::string& text) const {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto indent = std::min(line.find_first_not_of(' '), line.size());
        const std::size_t room = width_ > indent ? width_ - indent : 0;
        for (const auto& piece : wrapped(std::string_view(line).substr(indent), room))
            out += std::string(indent, ' ') + piece + "\n";
    }
    return out;
}

std::string HelpFormat::entry(const std::string& name, const std::string& description) const {
    const std::size_t room = width_ > get_column_width() ? width_ - get_column_width() : 0;
    std::string text = name;
    std::size_t at = text_columns(name);
    for (const auto& line : wrapped(description, room)) {
        // A long name has its description below it.
        if (at >= get_column_width()) {
            text += "\n";
            at = 0;
        }
        text += std::string(get_column_width() - at, ' ') + line;
        at = get_column_width();
    }
    return text + "\n";
}

void add_kinds(CLI::App& app, CommandContext& context, decltype(&jobs::Command::add) part) {
    for (const auto& kind : jobs::commands())
        if (kind.*part != nullptr) (kind.*part)(app, context);
}

// Adds commands, and shows what they added under one heading.
template <class Add>
void add_group(CLI::App& app, const char* heading, Add&& add) {
    const auto all = [](CLI::App*) { return true; };
    const auto before = app.get_subcommands(all).size();
    add();
    const auto commands = app.get_subcommands(all);
    for (auto i = before; i < commands.size(); ++i) commands[i]->group(heading);
}

// Flags that choose a form of output, as --json does, are refused together with it.
void refuse_two_forms(CLI::App& command, CLI::Option& json) {
    for (const char* flag : {"--format", "--csv"}) {
        auto* option = command.get_option_no_throw(flag);
        if (option == nullptr) continue;
        option->excludes(&json);
        json.remove_excludes(option);  // its help would list all of them
    }
    for (auto* sub : command.get_subcommands([](CLI::App*) { return true; }))
        refuse_two_forms(*sub, json);
}

// An empty value is usually an unset shell variable. It has a meaning only where the help says so.
void refuse_empty_values(CLI::App& command) {
    for (auto* option : command.get_options()) {
        const bool takes_none = option->get_items_expected_max() == 0;
        if (takes_none || option->get_description().find("empty:") != std::string::npos) continue;
        option->check([](const std::string& text) {
            return text.empty() ? std::string("must not be empty") : std::string();
        });
    }
    for (auto* sub : command.get_subcommands([](CLI::App*) { return true; }))
        refuse_empty_values(*sub);
}

// "--column text=headline FILE" and "--set a=1 FILE" leave the file to the command.
void take_one_value_at_a_time(CLI::App& command) {
    for (auto* option : command.get_options())
        if (!option->get_positional()) option->allow_extra_args(false);
    for (auto* sub : command.get_subcommands([](CLI::App*) { return true; }))
        take_one_value_at_a_time(*sub);
}

// In the help's own words, wherever the help is shown.
void say_defaults(CLI::App& command) {
    for (auto* option : command.get_options()) {
        if (option->get_default_str().empty()) continue;
        option->description(option->get_description() + " (default: " + option->get_default_str() +
                            ")");
        option->default_str("");
    }
    for (auto* sub : command.get_subcommands([](CLI::App*) { return true; })) say_defaults(*sub);
}

// A group of commands alone lists its objects: `plimsoll schedules`.
void parse(CLI::App& app, std::vector<std::string> words) {
    const auto parse_words = [&] {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    };
    try {
        parse_words();
    } catch (const CLI::RequiredError& error) {
        const auto listing = listing_command(app, error);
        if (listing.empty()) throw;
        words.push_back(listing);
        parse_words();
    }
}

}  // namespace

int run(int argc, char** argv) {
    // A command prints what its user needs to know; `serve` starts a log of its own.
    log::start("plimsoll", log::Level::error);
    CommandContext context;
    CLI::App app(
        "Plimsoll tells a team how much each GPU can carry, and runs their batch work on it.",
        "plimsoll");
    context.inputs = [&app] { return inputs_of(app); };
    app.formatter(std::make_shared<HelpFormat>(context.terminal));  // of all commands
    app.require_subcommand(1);
    app.set_version_flag("--version", PLIMSOLL_VERSION);
    auto* json = app.add_flag("--json", context.json, "Print JSON, including errors");
    app.fallthrough();
    add_group(app, "On this machine, without a server",
              [&] { add_kinds(app, context, &jobs::Command::add_local); });
    add_group(app, "Jobs of one kind", [&] { add_kinds(app, context, &jobs::Command::add); });
    for (const auto& group : kGroups) {
        add_group(app, group.heading, [&] {
            for (auto* add : group.commands) add(app, context);
        });
    }
    refuse_two_forms(app, *json);
    refuse_empty_values(app);
    take_one_value_at_a_time(app);
    say_defaults(app);
    app.footer(terminal::kExitStatusText);  // commands added before do not repeat it
    // Before the parse, which may end early.
    context.json = std::any_of(argv, argv + argc,
                               [](const char* word) { return std::string_view(word) == "--json"; });
    try {
        parse(app, {argv + 1, argv + argc});
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
        return refuse(context, usage_error(app, error), ExitStatus::usage);
    } catch (const terminal::Refused& refused) {
        return refuse(context, refused.error, refused.status);
    } catch (const std::exception& error) {
        return refuse(context, {Errc::internal, error.what(), {}}, ExitStatus::bug);
    }
    // Output lost to a full disk or a closed pipe is a failure.
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!written && context.exit_code == 0) {
        return refuse(context, {Errc::exhausted, "The output cannot be written.", {}},
                      ExitStatus::failed);
    }
    return context.exit_code;
}

}  // namespace plimsoll::cli
