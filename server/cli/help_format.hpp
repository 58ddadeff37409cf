#pragma once

#include "server/terminal/terminal.hpp"

#include <CLI/CLI.hpp>

namespace plimsoll::cli {

// The help of commands: what is below a command comes before its flags, of which some commands have
// many, and descriptions keep to the terminal's width.
class HelpFormat : public CLI::Formatter {
  public:
    explicit HelpFormat(const terminal::Terminal& terminal);

    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
    std::string make_subcommand(const CLI::App* sub) const override;
    std::string make_option(const CLI::Option* option, bool is_positional) const override;

  private:
    // A text whose lines keep their indent and the width.
    std::string kept(const std::string& text) const;
    std::string entry(const std::string& name, const std::string& description) const;

    std::size_t width_;  // of the terminal; 0 on a pipe: any
};

}  // namespace plimsoll::cli
