#include "engine/waves/report/rule_text.hpp"

namespace plimsoll::waves {

std::string rule_text(const Rule& rule, bool rising) {
    constexpr std::string_view kAbove = "above";
    constexpr std::string_view kBelow = "below";
    std::string text(rule.text);
    if (rising) return text;
    for (std::size_t at = 0; at + kAbove.size() <= text.size(); ++at) {
        const std::string_view here = std::string_view(text).substr(at, kAbove.size());
        if (here == kAbove)
            text.replace(at, here.size(), kBelow);
        else if (here == kBelow)
            text.replace(at, here.size(), kAbove);
    }
    return text;
}

}  // namespace plimsoll::waves
