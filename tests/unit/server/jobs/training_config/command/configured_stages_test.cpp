// A folder of training configuration, read and judged.
#include "server/jobs/training_config/command/configs/configured_stages.hpp"

#include "engine/training/gpus/catalogue.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace fs = std::filesystem;

class ShowConfig : public ::testing::Test {
  protected:
    ShowConfig() { fs::create_directory(folder_ / "curriculum"); }
    ~ShowConfig() override { fs::remove_all(folder_); }

    static fs::path make_folder() {
        auto name = (fs::temp_directory_path() / "plm-show-XXXXXX").string();
        return mkdtemp(name.data());
    }
    void write(const std::string& file, const std::string& text) {
        std::ofstream(folder_ / file) << text;
    }

    fs::path folder_ = make_folder();
};

constexpr auto kConfig =
    "data_loader:\n  batch_size: 4\ntraining:\n  trainer:\n    accumulate_grad_batches: 16\n";

TEST_F(ShowConfig, ReadsBatchAndStages) {
    write("config.yaml", kConfig);
    write("curriculum/01_stage.yaml", "n_positives: 32\nn_negatives: 24\n");
    write("curriculum/02_stage.yaml", "sampling: {n_positives: 16, n_negatives: 8}\n");
    write("logging.yaml", "level: info\n");
    const auto stages = read_stages(folder_).value();
    ASSERT_EQ(stages.size(), 2u);
    EXPECT_EQ(stages[0].name, "curriculum/01_stage.yaml");
    EXPECT_EQ(stages[0].batch, 4);
    EXPECT_EQ(stages[0].accumulation, 16);
    EXPECT_EQ(stages[1].negatives, 8);
    EXPECT_EQ(stages[1].positives, 16);
}

TEST_F(ShowConfig, TheGuidesExampleTakesItsSeventeenPercent) {
    write("config.yaml", kConfig);
    const auto stages = read_stages(folder_).value();
    const auto gpu = training::GpuCatalogue().find("rtx_6000").value();
    const auto text = show_stages(stages, gpu).value().text;
    // The guide publishes 4.2 GB and 17 % of 24.
    EXPECT_NE(text.find("guide's formula: 4.2 GiB, 18 % (underused)"), std::string::npos) << text;
    EXPECT_NE(text.find("a batch of"), std::string::npos) << text;
}

TEST_F(ShowConfig, NamesTheFileAndWhatIsWrongWithIt) {
    EXPECT_NE(read_stages(folder_).error().where.find("config.yaml"), std::string::npos);
    write("config.yaml", "epochs: 3\n");
    EXPECT_NE(read_stages(folder_).error().message.find("batch_size"), std::string::npos);
    write("config.yaml", "batch_size: -3\n");
    EXPECT_NE(read_stages(folder_).error().message.find("between 1 and"), std::string::npos);
    write("config.yaml", "a: [\n");
    EXPECT_NE(read_stages(folder_).error().message.find("no YAML"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
