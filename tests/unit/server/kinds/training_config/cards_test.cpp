// Cards that are not built in: by the keys of the GPU profile guide, from a file, the team's.
#include "server/kinds/training_config/contract/collections.hpp"
#include "server/kinds/training_config/contract/complete.hpp"
#include "server/kinds/training_config/contract/settings.hpp"
#include "tests/unit/server/kinds/training_config/estimates.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

namespace plimsoll::jobs::training_config {
namespace {

using ::testing::HasSubstr;

// The guide's own example of a custom profile.
json guides_card() {
    return {{"id", "my_custom_gpu"},
            {"name", "My Custom GPU"},
            {"vram_gb", 16},
            {"batch_size_1d", 256},
            {"batch_size_1h", 512},
            {"max_workers", 2},
            {"memory_per_model_1d", 4},
            {"memory_per_model_1h", 8},
            {"notes", "Custom configuration for testing"}};
}

json temporal(json cards) {
    return {{"model", {{"preset", "temporal"}}},
            {"custom_gpus", std::move(cards)},
            {"goal", "guide"},
            {"what_ifs", false}};
}

TEST(TrainingConfigCards, TheGuidesKeysDescribeACard) {
    const json card = card_of(temporal(json::array({guides_card()})));
    EXPECT_EQ(card["gpu"]["id"], "my_custom_gpu");
    EXPECT_EQ(card["batch"], 512);
    EXPECT_EQ(card["gpu"]["total_bytes"], std::int64_t{16} << 30);
    const auto pointer = [](json described) {
        const auto summary =
            find_contract("training-config")->estimate(temporal(json::array({described})), {});
        return summary ? std::string() : summary.error().front().pointer;
    };
    auto without = guides_card();
    without.erase("max_workers");
    EXPECT_EQ(pointer(without), "/custom_gpus/0/max_workers");
    auto sizeless = guides_card();
    sizeless.erase("vram_gb");
    EXPECT_EQ(pointer(sizeless), "/custom_gpus/0/memory_gib");
    auto half = guides_card();
    half["fp16_tflops"] = 100;
    EXPECT_EQ(pointer(half), "/custom_gpus/0/fp32_tflops");
    const json alone = {{"id", "noted"}, {"memory_gib", 16}, {"notes", "in the lab"}};
    EXPECT_EQ(pointer(alone), "/custom_gpus/0/notes");
}

class DefaultCard : public ::testing::Test {
  protected:
    DefaultCard() {
        auto name = (std::filesystem::temp_directory_path() / "plm-card-XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    ~DefaultCard() override {
        unsetenv("GPU_PROFILE");
        std::filesystem::remove_all(folder_);
    }
    std::string file(const std::string& text) const {
        const auto path = folder_ / "lab_card.json";
        std::ofstream(path) << text;
        return path;
    }

    std::filesystem::path folder_;
};

TEST_F(DefaultCard, MayBeDescribedByAFile) {
    auto described = guides_card();
    described.erase("id");
    const auto path = file(described.dump());
    EXPECT_EQ(check_gpu_profile(path).value(), path);
    setenv("GPU_PROFILE", path.c_str(), 1);
    json args = temporal({});
    args.erase("custom_gpus");
    EXPECT_EQ(card_of(args)["gpu"]["id"], "lab_card");
    // A task runs where that file may not be.
    const auto plan = find_contract("training-config")->plan(args, {});
    unsetenv("GPU_PROFILE");
    EXPECT_EQ(card_of(json::parse(plan.value().args))["batch"], 512);
}

TEST_F(DefaultCard, OfABrokenFileIsRefusedByNameAndKey) {
    EXPECT_THAT(check_gpu_profile(file("[]")).error().message, HasSubstr("JSON object"));
    EXPECT_THAT(check_gpu_profile(file(R"({"vram_gb": "16"})")).error().message,
                HasSubstr("lab_card.json"));
    EXPECT_THAT(check_gpu_profile(file(R"({"name": "x"})")).error().message,
                HasSubstr("lab_card.json/memory_gib"));
    EXPECT_THAT(check_gpu_profile("nowhere.json").error().message, HasSubstr("cannot be read"));
}

TEST_F(DefaultCard, IsTheTeamsIfTheTeamDescribesIt) {
    auto own = guides_card();
    own["id"] = "rtx_4090";
    TeamRecord record;
    record.id = "rtx_4090";
    record.data = own.dump();
    PlanningContext known;
    known.records[kGpuProfiles.name] = {record};
    known.records[kMeasurements.name] = {};
    json args = temporal({});
    args.erase("custom_gpus");
    EXPECT_EQ(card_of(complete(args, known).value())["batch"], 512);
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
