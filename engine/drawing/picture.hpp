#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <variant>
#include <vector>

// A drawing of lines, boxes and texts, and its file formats. Lengths are CSS pixels, colours
// 0xRRGGBB.
namespace plimsoll::drawing {

using Colour = std::uint32_t;

struct Point {
    double x = 0, y = 0;
};

struct LineMark {
    std::vector<Point> points;
    Colour colour = 0;
    double width = 1;
    double dash = 0, gap = 0;  // 0: no dashes
};

struct AreaMark {
    std::vector<Point> points;  // the last one joins the first
    Colour fill = 0;
};

struct BoxMark {
    double x = 0, y = 0, width = 0, height = 0;
    Colour fill = 0;
    double opacity = 1;
    bool outlined = false;
    Colour outline = 0;
    std::string title = {};  // tooltip
};

enum class Anchor { start, middle, end };

struct TextMark {
    Point at;  // on the baseline
    std::string text;
    Colour colour = 0;
    double size = 13;
    bool bold = false;
    Anchor anchor = Anchor::start;
};

struct Picture {
    double width = 0, height = 0;
    std::string title;
    std::vector<std::variant<LineMark, AreaMark, BoxMark, TextMark>> marks;  // the last on top
};

// A standalone file, on a white background.
std::string svg_of(const Picture& picture);

// Two pixels per CSS pixel. Drawn by the library cairo, loaded on first use: Errc::unavailable when
// it is not installed.
Result<std::string> png_of(const Picture& picture);

}  // namespace plimsoll::drawing
