#pragma once

#include "server/terminal/terminal.hpp"

#include <CLI/CLI.hpp>

namespace plimsoll::cli {

// Formats help: subcommands come before flags, because some commands have many flags, and
// descriptions wrap at the terminal's width.
class HelpFormat : public CLI::Formatter {
  public:
    explicit HelpFormat(const terminal::Terminal& terminal);

    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
    std::string make_subcommand(const CLI::App* sub) const override;
    std::string make_option(const CLI::Option* option, bool is_positional) const override;

  private:
    // Wraps a text at the width, and keeps the indent of its lines.
    std::string kept(const std::string& text) const;
    std::string entry(const std::string& name, const std::string& description) const;

    std::size_t width_;  // of the terminal; 0 on a pipe: unlimited
};

}  // namespace plimsoll::cli
