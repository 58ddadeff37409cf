#include "server/jobs/records/model_requirement.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::jobs {
namespace {

using Names = std::vector<std::string>;

std::string words(const Names& missing, const Names& instead) {
    const auto lack = explain_missing_models(missing, instead);
    return lack ? lack->what + ": " + lack->advice : "";
}

TEST(ModelNeed, ACapabilityMayNameAModel) {
    EXPECT_EQ(model_of_capability("model finbert 0123456789ab"),
              (Lack::Model{"finbert", "0123456789ab", "fp32"}));
    EXPECT_EQ(model_of_capability("measure finbert 0123456789ab int8"),
              (Lack::Model{"finbert", "0123456789ab", "int8"}));
    EXPECT_EQ(model_of_capability("model finbert"), std::nullopt);
    EXPECT_EQ(model_of_capability("fp16"), std::nullopt);
    EXPECT_EQ(model_of_capability(""), std::nullopt);
}

TEST(ModelNeed, AMissingModelIsNamedWithWhatInstallsIt) {
    EXPECT_EQ(
        words({"model finbert 0123456789ab"}, {}),
        "the model finbert: Install the model on a worker's machine: plimsoll model pull finbert, "
        "or model add with its files.");
    EXPECT_EQ(explain_missing_models(Names{"fp16"}, Names{}), std::nullopt);
}

TEST(ModelNeed, OtherFilesOfTheNameAreReported) {
    EXPECT_NE(words({"model finbert 0123456789ab"}, {"model finbert ffffffffffff"})
                  .find("the job needs the files with the hash 0123456789ab. Install the model"),
              std::string::npos);
}

TEST(ModelNeed, AMissingFormIsToBeProven) {
    EXPECT_EQ(words({"model finbert 0123456789ab int8", "fp16", "model tiny aaaaaaaaaaaa"},
                    {"model finbert 0123456789ab"}),
              "the models finbert in int8 and tiny: Idle workers will prove the form; to prove it "
              "now, run `plimsoll-engine prove finbert` on their machine.");
}

}  // namespace
}  // namespace plimsoll::jobs
