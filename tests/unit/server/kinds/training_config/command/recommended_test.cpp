// What a report recommends for a card, a stage, and a file of a stage.
#include "server/kinds/training_config/contract/configs/recommended.hpp"

#include "tests/unit/server/kinds/training_config/command/applied_report.hpp"

#include <gmock/gmock.h>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(RecommendedBy, FollowsACardAndAStage) {
    EXPECT_EQ(recommended_by(report(), "", "")->batch, 4);
    const auto late = recommended_by({{"summary", report()}}, "a100_80gb", "02-05_stage (later)");
    EXPECT_EQ(late->batch, 40);
    EXPECT_EQ(late->negatives, 8);
    EXPECT_EQ(recommended_by(report(), "h200", "").error().code, Errc::not_found);
    EXPECT_EQ(recommended_by(report(), "a100_80gb", "middle").error().code, Errc::not_found);
    EXPECT_THAT(recommended_by(report(), "t4", "").error().message, HasSubstr("does not fit"));
    EXPECT_EQ(recommended_by({{"gpus", 3}}, "", "").error().code, Errc::invalid_input);
}

TEST(StageFor, ReadsTheFilesOfAName) {
    EXPECT_EQ(stage_for(report(), "", "conf/curriculum/01_stage.yaml").value(), "01_stage (early)");
    EXPECT_EQ(stage_for(report(), "a100_80gb", "05_stage.yaml").value(), "02-05_stage (later)");
    EXPECT_EQ(stage_for(report(), "", "06_stage.yaml").value(), "");
    EXPECT_EQ(stage_for(report(), "", "config.yaml").value(), "");
}

TEST(StageFor, ReportsWhatIsNoReport) {
    EXPECT_EQ(stage_for(report(), "h200", "01_stage.yaml").error().code, Errc::not_found);
    EXPECT_THAT(stage_for(report(), "t4", "01_stage.yaml").error().message,
                HasSubstr("create it again"));
    EXPECT_THAT(stage_for(json{{"a", 1}}, "", "01_stage.yaml").error().message,
                HasSubstr("not a report"));
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
