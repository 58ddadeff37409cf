#include "engine/drawing/picture.hpp"

#include <string_view>

#include <fmt/format.h>

namespace plimsoll::drawing {
namespace {

std::string escaped(std::string_view text) {
    std::string out;
    for (char c : text) {
        switch (c) {
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '&': out += "&amp;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string_view word(Anchor anchor) {
    switch (anchor) {
        case Anchor::middle: return "middle";
        case Anchor::end: return "end";
        default: return "start";
    }
}

std::string svg(const std::vector<Point>& points) {
    std::string out;
    for (const Point& point : points) out += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
    if (!out.empty()) out.pop_back();
    return out;
}

std::string svg(const LineMark& mark) {
    return fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#{:06x}\" stroke-width=\"{}\"{}/>\n",
        svg(mark.points), mark.colour, mark.width,
        mark.dash > 0 ? fmt::format(" stroke-dasharray=\"{} {}\"", mark.dash, mark.gap) : "");
}

std::string svg(const AreaMark& mark) {
    return fmt::format("<polygon points=\"{}\" fill=\"#{:06x}\"/>\n", svg(mark.points), mark.fill);
}

std::string svg(const BoxMark& mark) {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#{:06x}\"{}{}>{}"
        "</rect>\n",
        mark.x, mark.y, mark.width, mark.height, mark.fill,
        mark.opacity < 1 ? fmt::format(" fill-opacity=\"{}\"", mark.opacity) : "",
        mark.outlined ? fmt::format(" stroke=\"#{:06x}\"", mark.outline) : "",
        mark.title.empty() ? "" : "<title>" + escaped(mark.title) + "</title>");
}

std::string svg(const TextMark& mark) {
    return fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"#{:06x}\" font-size=\"{}\"{}>{}"
        "</text>\n",
        mark.at.x, mark.at.y, word(mark.anchor), mark.colour, mark.size,
        mark.bold ? " font-weight=\"700\"" : "", escaped(mark.text));
}

}  // namespace

std::string svg_of(const Picture& picture) {
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" font-family=\"system-ui, sans-serif\" role=\"img\">\n<title>{2}</title>\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
        picture.width, picture.height, escaped(picture.title));
    for (const auto& mark : picture.marks)
        out += std::visit([](const auto& one) { return svg(one); }, mark);
    return out + "</svg>\n";
}

}  // namespace plimsoll::drawing
