#include "server/cli/help_format.hpp"

#include "server/base/text_table.hpp"
#include "server/terminal/table_width.hpp"

#include <algorithm>

namespace plimsoll::cli {
namespace {

constexpr std::size_t kNames = 30;        // columns of names
constexpr std::size_t kNamesNarrow = 20;  // on a terminal narrower than kNarrow
constexpr std::size_t kNarrow = 72;

}  // namespace

HelpFormat::HelpFormat(const terminal::Terminal& terminal) : width_(table_width(terminal)) {
    column_width(width_ != 0 && width_ < kNarrow ? kNamesNarrow : kNames);
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode mode) const {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    std::string description;
    for (const auto& line : wrapped(app->get_description(), width_)) description += line + "\n";
    return description + make_usage(app, name) + make_positionals(app) +
           make_subcommands(app, mode) + make_groups(app, mode) + make_footer(app);
}

std::string HelpFormat::make_subcommand(const CLI::App* sub) const {
    return entry("  " + sub->get_name(), sub->get_description());
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
    return entry("  " + make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
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

}  // namespace plimsoll::cli
