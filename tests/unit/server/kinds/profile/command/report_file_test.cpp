#include "server/kinds/profile/command/report_file.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plimsoll::jobs::profile {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json content_of(const fs::path& path) {
    std::ifstream in(path);
    return json::parse(in);
}

TEST(ReportFile, NeverOverwritesAReportOfTheSameSecond) {
    const fs::path folder =
        fs::path(::testing::TempDir()) / ("profiles_" + std::to_string(getpid())) / "new";
    constexpr std::time_t kNow = 1'700'000'000;
    const auto first = write_report(folder, {{"run", 1}}, kNow).value();
    const auto second = write_report(folder, {{"run", 2}}, kNow).value();
    const auto third = write_report(folder, {{"run", 3}}, kNow).value();
    const auto stem = first.stem().string();
    EXPECT_EQ(stem.substr(0, 12), "gpu_profile_");
    EXPECT_EQ(second.filename(), stem + "_2.json");
    EXPECT_EQ(third.filename(), stem + "_3.json");
    EXPECT_EQ(content_of(first)["run"], 1);
    EXPECT_EQ(content_of(second)["run"], 2);
    EXPECT_EQ(content_of(third)["run"], 3);
    EXPECT_NE(write_report(folder, {}, kNow + 1).value().stem(), stem);
    fs::remove_all(folder.parent_path());
}

TEST(ReportFile, NamesTheFileThatCannotBeWritten) {
    const auto failed = write_report("/dev/null/below", {}, 0);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().where.find("/dev/null/below/gpu_profile_"), 0U);
    EXPECT_EQ(check_folder("/dev/null/below").error().where, "/dev/null/below");
}

}  // namespace
}  // namespace plimsoll::jobs::profile
