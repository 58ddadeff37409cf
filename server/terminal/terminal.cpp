#include "server/terminal/terminal.hpp"

#include "server/base/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace plimsoll::terminal {
namespace {

constexpr int kPlainWidth = 80;
constexpr int kWidestBar = 40;

// Bytes of what a terminal obeys at the start of `text`, or of what reorders it; 0: nothing. Tabs,
// ends of lines and our own styles pass.
std::size_t obeyed(std::string_view text) {
    const auto byte = [text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    if (text.starts_with("\033[")) {
        const auto end = text.find_first_not_of("0123456789;", 2);
        if (end != text.npos && text[end] == 'm') return 0;
    }
    if (byte(0) == 0x7f || (byte(0) < 0x20 && byte(0) != '\n' && byte(0) != '\t')) return 1;
    if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return 2;  // U+0080 to U+009F
    if (byte(0) != 0xe2) return 0;
    const bool reorders = (byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||
                          (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);
    return reorders ? 3 : 0;
}

void print(std::FILE* to, std::string_view text) {
    const auto shown = isatty(fileno(to)) == 1 ? harmless(text) : std::string(text);
    std::fwrite(shown.data(), 1, shown.size(), to);
    std::fputc('\n', to);
}

}  // namespace

std::string harmless(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const auto length = obeyed(text);
        shown += length > 0 ? "\uFFFD" : text.substr(0, 1);
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return shown;
}

Terminal::Terminal() : interactive_(isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 1) {
    const char* no_colour = std::getenv("NO_COLOR");
    colours_ = interactive_ && (no_colour == nullptr || *no_colour == '\0');
}

std::string Terminal::paint(Style style, std::string_view text) const {
    if (!colours_ || style == Style::plain) return std::string(text);
    const char* code = "";
    switch (style) {
        case Style::plain: break;
        case Style::bold: code = "1"; break;
        case Style::dim: code = "2"; break;
        case Style::good: code = "32"; break;
        case Style::bad: code = "31"; break;
        case Style::accent: code = "36"; break;
    }
    return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

void Terminal::line(std::string_view text) const {
    print(stdout, text);
    std::fflush(stdout);
}

void Terminal::note(std::string_view text) const { print(stderr, text); }

int Terminal::width() const {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return kPlainWidth;
}

std::size_t table_width(const Terminal& terminal) {
    return terminal.interactive() ? static_cast<std::size_t>(terminal.width()) : 0;
}

ProgressBar::ProgressBar(const Terminal& terminal, std::string title)
    : terminal_(terminal), title_(std::move(title)), started_(std::chrono::steady_clock::now()) {}

void ProgressBar::show(std::int64_t done, std::int64_t total) {
    show(done, total,
         total > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total)) : 0);
}

void ProgressBar::show(std::int64_t done, std::int64_t total, double share) {
    const std::string counts = format_count(done) + " / " + format_count(total);
    if (!terminal_.interactive()) {
        const int tenth = static_cast<int>(share * 10);
        if (tenth != last_tenth_)
            terminal_.note(title_ + " " + counts + ", " + format_share(share));
        last_tenth_ = tenth;
        return;
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    std::string eta;
    if (share > 0 && share < 1) eta = "  " + format_duration(spent * (1 / share - 1)) + " left";
    const int room = terminal_.width() -
                     static_cast<int>(text_columns(title_) + counts.size() + eta.size()) - 12;
    const int length = std::clamp(room, 8, kWidestBar);
    const int filled = static_cast<int>(std::lround(share * length));
    std::string bar;
    for (int i = 0; i < length; ++i) bar += i < filled ? "█" : "░";
    std::fprintf(stderr, "\r\033[K%s %s %5s  %s%s", title_.c_str(),
                 terminal_.paint(Style::accent, bar).c_str(), format_share(share).c_str(),
                 counts.c_str(), eta.c_str());
    std::fflush(stderr);
    drawn_ = true;
}

void ProgressBar::finish() {
    if (drawn_) std::fputc('\n', stderr);
    drawn_ = false;
}

std::string format_table(const Terminal& terminal,
                         const std::vector<std::vector<std::string>>& rows) {
    std::string text;
    bool header = true;
    for (const auto& row : table_lines(rows, table_width(terminal))) {
        for (const auto& line : row) {
            text += (text.empty() ? "" : "\n") +
                    terminal.paint(header ? Style::dim : Style::plain, line);
        }
        header = false;
    }
    return text;
}

std::string format_share(double share) {
    return std::to_string(static_cast<int>(share * 100)) + " %";
}

std::string format_duration(std::chrono::duration<double> time) {
    const double seconds = std::max(0.0, time.count());
    char text[48];
    if (seconds < 10) {
        std::snprintf(text, sizeof text, "%.1f s", seconds);
    } else if (seconds < 90) {
        std::snprintf(text, sizeof text, "%.0f s", seconds);
    } else if (seconds < 5400) {
        std::snprintf(text, sizeof text, "%d min %d s", static_cast<int>(seconds) / 60,
                      static_cast<int>(seconds) % 60);
    } else {
        std::snprintf(text, sizeof text, "%d h %d min", static_cast<int>(seconds) / 3600,
                      static_cast<int>(seconds) / 60 % 60);
    }
    return text;
}

}  // namespace plimsoll::terminal
