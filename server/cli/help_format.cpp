#include "server/cli/help_format.hpp"

#include "server/base/text_table.hpp"
#include "server/terminal/table_width.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

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
    const auto footer = make_footer(app);
    return kept(make_description(app)) + make_usage(app, std::move(name)) + make_positionals(app) +
           make_subcommands(app, mode) + make_groups(app, mode) +
           (footer.empty() ? "" : "\n" + kept(footer));
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

}  // namespace plimsoll::cli
