#include "server/kinds/training_config/command/configs/unreadable.hpp"

#include <string>

namespace plimsoll::jobs::training_config {
namespace {

// The number of the first line with a tab in its indentation; 0: none.
int tabbed_line(std::string_view text) {
    bool indents = true;
    int line = 1;
    for (const char c : text) {
        if (indents && c == '\t') return line;
        if (c == '\n') ++line;
        indents = c == '\n' || (indents && c == ' ');
    }
    return 0;
}

}  // namespace

Error unreadable(std::string_view text, const YAML::Exception& error) {
    std::string message;
    if (const int line = tabbed_line(text); line > 0) {
        message = "Line " + std::to_string(line) +
                  " is indented with a tab, which YAML does not allow: use spaces.";
    } else {
        message = "This is neither YAML nor JSON: line " + std::to_string(error.mark.line + 1) +
                  ", column " + std::to_string(error.mark.column + 1) + ": " + error.msg + ".";
    }
    return {Errc::invalid_input, message, {}};
}

}  // namespace plimsoll::jobs::training_config
