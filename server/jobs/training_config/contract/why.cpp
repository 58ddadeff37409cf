#include "engine/training/gpus/catalogue.hpp"
#include "server/jobs/training_config/contract/advice.hpp"

#include <algorithm>
#include <cstdio>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

// The smallest shipped card that carries so much beside its context, within the margin.
std::string a_card_that_carries(std::int64_t reserved, double safety) {
    const auto cards = tr::shipped_gpus();
    const auto carries = [&](const tr::GpuProfile& gpu) {
        const auto limit = static_cast<double>(gpu.total_bytes()) * safety;
        return static_cast<double>(reserved + gpu.total_bytes() - gpu.usable_bytes()) <= limit;
    };
    const auto found = std::ranges::find_if(cards, carries);
    if (found == cards.end()) return " No single card of the catalogue carries it.";
    return " The smallest card of the catalogue that carries it is " + found->name + ".";
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

std::string what_would_fit(const tr::GpuReport& card) {
    if (card.what_ifs.empty()) return "";
    const auto& best = card.what_ifs.front();
    return " On this card it would fit with " + best.change + " (largest batch " +
           std::to_string(best.max_batch) + ").";
}

}  // namespace

std::string gibibytes(std::int64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GiB",
                  static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
    return text;
}

std::string why(const Request& request, const tr::GpuReport& card) {
    const double safety = request.report.search.safety;
    const std::string needs =
        (card.batch == 1 ? std::string("One sample") : "A batch of " + std::to_string(card.batch)) +
        " takes " + gibibytes(card.device_used) + " of " + gibibytes(card.gpu.total_bytes());
    const auto loaded =
        static_cast<std::int64_t>(safety * static_cast<double>(card.gpu.total_bytes()));
    const std::string margin = "the margin of " + number(safety) + " (" + gibibytes(loaded) + ")";
    switch (card.fit) {
        case tr::Fit::yes:
            return needs + ", within " + margin +
                   "; the upper end of the uncertainty stays below the card's memory.";
        case tr::Fit::tight:
            return needs +
                   (card.batch > card.limits.max_batch
                        ? ", above " + margin + " though below the card's memory."
                        : ", within " + margin +
                              ", but the upper end of the uncertainty is more than the card has.");
        case tr::Fit::no:
            if (card.limits.max_batch > 0) {
                return needs + ", more than the card has. The largest batch within " + margin +
                       " is " + std::to_string(card.limits.max_batch) + ".";
            }
            return needs + ", above " + margin + "." + what_would_fit(card) +
                   a_card_that_carries(card.at_batch.peak_reserved, safety);
    }
    return {};
}

}  // namespace plimsoll::jobs::training_config
