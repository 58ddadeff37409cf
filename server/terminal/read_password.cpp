#include "server/terminal/read_password.hpp"

#include <cstdio>
#include <fstream>
#include <iostream>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace plimsoll::terminal {
namespace {

// The terminal of this process, whatever its standard streams are; without echo until destroyed.
class SilentTerminal {
  public:
    SilentTerminal() : descriptor_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {
        if (descriptor_ < 0 || tcgetattr(descriptor_, &before_) != 0) return;
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        silent.c_lflag |= ECHONL;
        usable_ = tcsetattr(descriptor_, TCSAFLUSH, &silent) == 0;
    }
    ~SilentTerminal() {
        if (usable_) tcsetattr(descriptor_, TCSAFLUSH, &before_);
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    SilentTerminal(const SilentTerminal&) = delete;
    SilentTerminal& operator=(const SilentTerminal&) = delete;

    bool usable() const { return usable_; }
    void write(const std::string& text) const {
        [[maybe_unused]] const auto written = ::write(descriptor_, text.data(), text.size());
    }
    std::string line() const {
        std::string text;
        char c = 0;
        while (::read(descriptor_, &c, 1) == 1 && c != '\n') text += c;
        return text;
    }

  private:
    int descriptor_;
    bool usable_ = false;
    termios before_{};
};

Result<std::string> first_line(std::istream& from, const std::string& name) {
    std::string line;
    if (!std::getline(from, line))
        return fail(Errc::invalid_input, "No password could be read from " + name + ".");
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

}  // namespace

Result<std::string> ask_password(const std::string& prompt) {
    const SilentTerminal terminal;
    if (!terminal.usable()) {
        return fail(Errc::unavailable,
                    "There is no terminal to ask for the password: name a file that holds it, or "
                    "- for standard input.");
    }
    terminal.write(prompt + ": ");
    return terminal.line();
}

Result<std::string> read_password(const std::string& file, const std::string& prompt) {
    if (file.empty()) return ask_password(prompt);
    if (file == "-") return first_line(std::cin, "standard input");
    std::ifstream stream(file);
    return first_line(stream, file);
}

}  // namespace plimsoll::terminal
