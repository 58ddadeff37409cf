// Recommended values put into YAML files: only the values' own characters may change.
#include "server/jobs/training_config/command/apply_report.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr auto kConfig = R"(# Größe der Charge – bitte lassen
defaults:
  - _self_
data_loader:
  batch_size: 4        # fits the old card
  num_workers: "0"

training:
  trainer: {accumulate_grad_batches: 16, precision: 16-mixed}
  learning_rate: 2.0e-4
  note: |
    batch_size: 4
)";

json report() {
    return json::parse(R"({"gpus": [
        {"gpu": {"id": "rtx_6000"},
         "config_values": {"batch_size": 40, "accumulate_grad_batches": 6, "learning_rate": 5.5e-5,
                           "lr": 5.5e-5, "warmup_steps": 300, "num_workers": 6},
         "stages": [{"name": "late",
                     "config_values": {"batch_size": 96, "accumulate_grad_batches": 3,
                                       "learning_rate": 5.5e-5, "n_positives": 16,
                                       "n_negatives": 8}}]},
        {"gpu": {"id": "t4"}, "config_values": {}, "stages": []}]})");
}

TEST(EditYaml, ChangesOnlyTheCharactersOfTheValues) {
    const auto edit = edit_yaml(kConfig, {{"batch_size", "40"},
                                          {"num_workers", "6"},
                                          {"accumulate_grad_batches", "6"},
                                          {"learning_rate", "5.5e-05"}});
    ASSERT_TRUE(edit.has_value()) << edit.error().message;
    EXPECT_EQ(edit->text, R"(# Größe der Charge – bitte lassen
defaults:
  - _self_
data_loader:
  batch_size: 40        # fits the old card
  num_workers: "6"

training:
  trainer: {accumulate_grad_batches: 6, precision: 16-mixed}
  learning_rate: 5.5e-05
  note: |
    batch_size: 4
)");
    ASSERT_EQ(edit->changes.size(), 4u);
    EXPECT_EQ(edit->changes[0].line, 5);
    EXPECT_EQ(edit->changes[0].before, "4");
    EXPECT_EQ(edit->changes[2].key, "accumulate_grad_batches");
}

TEST(EditYaml, KeepsLineEndingsListsAndWhatIsEqual) {
    const auto edit =
        edit_yaml("a:\r\n  - batch_size: 8\r\n  - batch_size: 4\r\n", {{"batch_size", "8"}});
    ASSERT_TRUE(edit.has_value());
    EXPECT_EQ(edit->text, "a:\r\n  - batch_size: 8\r\n  - batch_size: 8\r\n");
    EXPECT_EQ(edit->changes.size(), 1u);
}

TEST(EditYaml, ChangesAnAnchoredValueOnce) {
    const auto edit = edit_yaml("a: &x\n  batch_size: 4\nb: *x\n", {{"batch_size", "8"}});
    ASSERT_TRUE(edit.has_value());
    EXPECT_EQ(edit->text, "a: &x\n  batch_size: 8\nb: *x\n");
}

TEST(EditYaml, ChangesWhatHasAnAnchorATagOrAByteOrderMark) {
    const auto edit = edit_yaml(
        "\xEF\xBB\xBF"
        "batch_size: &b 4\nlr: !!float 3e-4 # x\nwarmup_steps: &w !!int '5'\n",
        {{"batch_size", "8"}, {"lr", "5.0e-05"}, {"warmup_steps", "9"}});
    ASSERT_TRUE(edit.has_value());
    EXPECT_EQ(edit->text,
              "\xEF\xBB\xBF"
              "batch_size: &b 8\nlr: !!float 5.0e-05 # x\nwarmup_steps: &w !!int '9'\n");
    EXPECT_TRUE(edit->left.empty());
}

TEST(EditYaml, NamesWhatItLeaves) {
    const std::string text =
        "other: &o 4\nbatch_size: *o\nlr: ${oc.env:LR,1e-4}\nnum_workers:\nwarmup_steps: |\n  7\n";
    const auto edit = edit_yaml(
        text, {{"batch_size", "8"}, {"lr", "1"}, {"num_workers", "2"}, {"warmup_steps", "9"}});
    ASSERT_TRUE(edit.has_value());
    EXPECT_EQ(edit->text, text);
    std::vector<std::string> told;
    for (const auto& one : edit->left) told.push_back(one.key + std::to_string(one.line) + one.why);
    EXPECT_EQ(told,
              (std::vector<std::string>{"batch_size2it stands behind an alias",
                                        "lr3it is an interpolation", "num_workers4it is empty",
                                        "warmup_steps5its text is not simply its value"}));
}

TEST(EditYaml, RefusesWhatIsNoYaml) {
    EXPECT_FALSE(edit_yaml("a: [1, 2", {}).has_value());
}

TEST(RecommendedValues, FollowACardAndAStage) {
    const auto first = recommended_values(report(), "", "").value();
    EXPECT_EQ(first.at("batch_size"), "40");
    EXPECT_EQ(first.at("lr"), "5.5e-05");
    EXPECT_FALSE(first.contains("n_negatives"));
    const auto late = recommended_values({{"summary", report()}}, "rtx_6000", "late").value();
    EXPECT_EQ(late.at("batch_size"), "96");
    EXPECT_EQ(late.at("accumulate_grad_batches"), "3");
    EXPECT_EQ(late.at("n_negatives"), "8");
}

TEST(RecommendedValues, RefuseWhatCannotBeApplied) {
    EXPECT_EQ(recommended_values(report(), "h200", "").error().code, Errc::not_found);
    EXPECT_EQ(recommended_values(report(), "rtx_6000", "middle").error().code, Errc::not_found);
    EXPECT_NE(recommended_values(report(), "t4", "").error().message.find("does not fit"),
              std::string::npos);
    EXPECT_EQ(recommended_values({{"gpus", 3}}, "", "").error().code, Errc::invalid_input);
}

class Apply : public ::testing::Test {
  protected:
    Apply() {
        write(folder_ / "report.json", report().dump());
        write(config_, kConfig);
    }
    ~Apply() override { fs::remove_all(folder_); }

    static fs::path make_folder() {
        auto name = (fs::temp_directory_path() / "plm-apply-XXXXXX").string();
        return mkdtemp(name.data());
    }
    static void write(const fs::path& path, const std::string& text) {
        std::ofstream(path) << text;
    }
    static std::string read(const fs::path& path) {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    ApplyRequest request() const {
        return {.report = folder_ / "report.json", .files = {config_}, .gpu = {}, .stage = {}};
    }

    fs::path folder_ = make_folder();
    fs::path config_ = folder_ / "config.yaml";
    fs::path backup_ = folder_ / "config.yaml.backup";
};

TEST_F(Apply, ADryRunShowsChangesAndWritesNothing) {
    auto asked = request();
    asked.dry_run = true;
    const auto told = apply_report(asked);
    ASSERT_TRUE(told.has_value()) << told.error().message;
    EXPECT_EQ(read(config_), kConfig);
    EXPECT_FALSE(fs::exists(backup_));
    // The diff is what an apply does.
    write(folder_ / "told.diff", *told);
    const auto patch = "patch -s -p0 -d / < " + (folder_ / "told.diff").string();
    ASSERT_EQ(std::system(patch.c_str()), 0) << *told;
    const auto patched = read(config_);
    write(config_, kConfig);
    ASSERT_TRUE(apply_report(request()).has_value());
    EXPECT_EQ(patched, read(config_));
}

TEST_F(Apply, KeepsTheFirstOriginalAndGivesItBack) {
    fs::permissions(config_, fs::perms::owner_read | fs::perms::owner_write);
    ASSERT_TRUE(apply_report(request()).has_value());
    EXPECT_NE(read(config_).find("batch_size: 40        # fits"), std::string::npos);
    EXPECT_EQ(fs::status(config_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    write(folder_ / "report.json", [] {
        auto other = report();
        other["gpus"][0]["config_values"]["batch_size"] = 24;
        return other.dump();
    }());
    ASSERT_TRUE(apply_report(request()).has_value());
    EXPECT_NE(read(config_).find("batch_size: 24 "), std::string::npos);
    EXPECT_EQ(read(backup_), kConfig);
    auto back = request();
    back.restore = true;
    ASSERT_TRUE(apply_report(back).has_value());
    EXPECT_EQ(read(config_), kConfig);
    EXPECT_FALSE(apply_report(back).has_value());
}

TEST_F(Apply, NamesTheFileThatCannotBeRead) {
    auto asked = request();
    asked.files.push_back(folder_ / "missing.yaml");
    const auto told = apply_report(asked);
    ASSERT_FALSE(told.has_value());
    EXPECT_NE(told.error().where.find("missing.yaml"), std::string::npos);
    EXPECT_EQ(read(config_), kConfig) << "changed although another file cannot be";
    EXPECT_FALSE(fs::exists(backup_));
}

TEST_F(Apply, LeavesReadOnlyFilesAndEmptyOnes) {
    fs::permissions(config_, fs::perms::owner_read);
    EXPECT_NE(apply_report(request()).error().message.find("read-only"), std::string::npos);
    write(folder_ / "empty.yaml", "");
    auto asked = request();
    asked.files = {folder_ / "empty.yaml"};
    EXPECT_NE(apply_report(asked).value().find("nothing to change"), std::string::npos);
}

TEST_F(Apply, ALinkStaysALink) {
    fs::create_symlink(config_, folder_ / "link.yaml");
    auto asked = request();
    asked.files = {folder_ / "link.yaml"};
    ASSERT_TRUE(apply_report(asked).has_value());
    EXPECT_TRUE(fs::is_symlink(folder_ / "link.yaml"));
    EXPECT_NE(read(config_).find("batch_size: 40 "), std::string::npos);
    asked.restore = true;
    ASSERT_TRUE(apply_report(asked).has_value());
    EXPECT_TRUE(fs::is_symlink(folder_ / "link.yaml"));
    EXPECT_EQ(read(config_), kConfig);
}

TEST(RecommendedValues, AreNumbersToReadersOfYaml) {
    auto one = report();
    one["gpus"][0]["config_values"]["lr"] = 4e-5;
    EXPECT_EQ(recommended_values(one, "", "").value().at("lr"), "4.0e-05");
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
