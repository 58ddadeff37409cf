#include "engine/sentiment/meaning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::sentiment {
namespace {

using Labels = std::vector<std::string>;

Opinion opinion(const Labels& labels, const std::vector<float>& probabilities) {
    return Meaning::of(labels).value().opinion(probabilities);
}

TEST(Meaning, FollowsTheOrderOfTheLabels) {
    const auto finbert = opinion({"positive", "negative", "neutral"}, {0.75F, 0.0625F, 0.1875F});
    EXPECT_EQ(finbert.positive, 0.75);
    EXPECT_EQ(finbert.negative, 0.0625);
    EXPECT_EQ(finbert.neutral, 0.1875);
    EXPECT_EQ(finbert.compound, 0.6875);
    const auto sst = opinion({"NEGATIVE", "POSITIVE"}, {0.75F, 0.25F});
    EXPECT_EQ(sst.compound, -0.5);
    EXPECT_EQ(sst.neutral, 0);
    EXPECT_EQ(opinion({"Bearish", "Neutral", "Bullish"}, {0, 0, 1}).compound, 1);
    EXPECT_EQ(opinion({"negative (stars 1, 2 and 3)", "positive (stars 4 and 5)"}, {0, 1}).compound,
              1);
    EXPECT_EQ(opinion({"Negatif", "Netral", "Positif"}, {1, 0, 0}).compound, -1);
    EXPECT_EQ(opinion({"Négatif", "neutre ", "positif"}, {1, 0, 0}).compound, -1);
    EXPECT_EQ(opinion({"负面", "中性", "正面"}, {0, 0, 1}).compound, 1);
    EXPECT_EQ(opinion({"1 star", "2 star", "3 star", "4 star", "5 star"}, {0, 1, 0, 0, 0}).compound,
              -0.5);
}

TEST(Meaning, StarsAreValuedByDistance) {
    const Labels stars{"1 star", "2 stars", "3 stars", "4 stars", "5 stars"};
    const auto mixed = opinion(stars, {0.125F, 0.125F, 0.25F, 0.25F, 0.25F});
    EXPECT_EQ(mixed.negative, 0.25);
    EXPECT_EQ(mixed.positive, 0.5);
    EXPECT_EQ(mixed.compound, 0.1875);
}

TEST(Meaning, ShortNamesAndDegreesAreKnown) {
    EXPECT_EQ(opinion({"NEG", "NEU", "POS"}, {0.25F, 0.25F, 0.5F}).compound, 0.25);
    const auto worth = [](const Labels& labels, std::size_t which) {
        std::vector<float> only(labels.size());
        only[which] = 1;
        return opinion(labels, only).compound;
    };
    const Labels very{"Very Negative", "negative", "neutral", "positive", "very_positive"};
    EXPECT_EQ(worth(very, 0), -1);
    EXPECT_EQ(worth(very, 1), -0.5);
    EXPECT_EQ(worth(very, 2), 0);
    EXPECT_EQ(worth(very, 3), 0.5);
    EXPECT_EQ(worth(very, 4), 1);
    const Labels somewhat{"negative", "somewhat negative", "neutral", "somewhat positive",
                          "positive"};
    EXPECT_EQ(worth(somewhat, 0), -1);
    EXPECT_EQ(worth(somewhat, 3), 0.5);
    EXPECT_EQ(worth({"extremely negative", "positive"}, 0), -1);
    EXPECT_EQ(worth_of_label("slightly-positive"), 1);
    EXPECT_FALSE(worth_of_label("very neutral"));
    EXPECT_FALSE(worth_of_label("very"));
}

TEST(Meaning, LabelsWithoutSentimentAreRefused) {
    EXPECT_THAT(Meaning::of(Labels{"LABEL_0", "LABEL_1"}).error().message,
                testing::HasSubstr("\"LABEL_0\" is not a sentiment label"));
    EXPECT_THAT(Meaning::of(Labels{"positive", "neutral"}).error().message,
                testing::HasSubstr("positive from negative"));
}

}  // namespace
}  // namespace plimsoll::sentiment
