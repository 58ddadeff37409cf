#include "server/kinds/sentiment/contract/speed.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

Speed speed_of(std::span<const TeamRecord> speeds, std::string_view resident_name) {
    const auto found = std::ranges::find(speeds, resident_name, &TeamRecord::id);
    if (found == speeds.end()) return {};
    const auto data = nlohmann::json::parse(found->data);
    const std::int64_t texts = data.at("texts");
    return {.seconds_per_text = data.at("seconds").get<double>() / static_cast<double>(texts),
            .texts = texts};
}

}  // namespace plimsoll::jobs::sentiment
