#include "engine/transformer/guard.hpp"

#include <array>
#include <random>
#include <string_view>

namespace plimsoll::transformer {
namespace {

constexpr std::size_t kTexts = 512;

constexpr std::array<std::string_view, 10> kWho{
    "The bank",          "Halcyon Freight", "the new phone", "My landlord", "the central bank",
    "Orrery Chips Inc.", "this restaurant", "Our team",      "the airline", "a small drug maker"};
constexpr std::array<std::string_view, 20> kDid{"raised its outlook after record sales",
                                                "cut 4,000 jobs and closed two plants",
                                                "was, as always, late and rude",
                                                "beat every expectation",
                                                "reported results in line with forecasts",
                                                "lost 18% of its value within an hour",
                                                "never answers the phone",
                                                "made me smile for the whole day",
                                                "kept rates at 3.5 percent",
                                                "is not bad, but not good either",
                                                "settled the lawsuit for $2.1bn",
                                                "denied all charges of fraud",
                                                "arrived broken, and nobody cares",
                                                "could hardly have done better",
                                                "will publish its report on Tuesday",
                                                "failed the most important trial",
                                                "doubled the dividend",
                                                "withdrew its guidance",
                                                "stole my heart <3 :)",
                                                "moved its office to Leeds"};
constexpr std::array<std::string_view, 10> kAfter{"",
                                                  "!!!",
                                                  ", which analysts had not expected at all.",
                                                  " - what a disaster",
                                                  ". Shares were unchanged.",
                                                  ", and I would buy it again",
                                                  "? Really?",
                                                  ", according to people who know the matter.",
                                                  ". So happy!",
                                                  " (again)."};

}  // namespace

// The same ones every time: sentences one after the other, from a few words to a long paragraph.
std::vector<std::string> calibration_texts() {
    std::mt19937 bits(19);
    const auto one_of = [&](const auto& list) { return list[bits() % list.size()]; };
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < kTexts; ++i) {
        const auto draw = bits() % 16;
        const unsigned sentences = draw < 11 ? 1 : draw < 15 ? 2 : 6;
        std::string text;
        for (unsigned s = 0; s < sentences; ++s) {
            if (!text.empty()) text += ' ';
            text += std::string(one_of(kWho)) + ' ' + std::string(one_of(kDid)) +
                    std::string(one_of(kAfter));
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

}  // namespace plimsoll::transformer
