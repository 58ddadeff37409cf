// Files that `plimsoll apply` does not touch, nor `--restore`.
#include "server/kinds/training_config/command/configs/backups.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Backups : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(::testing::TempDir()) / ("backups-" + std::to_string(::getpid()));
        fs::create_directory(folder_);
        file_ = (folder_ / "real.yaml").string();
        std::ofstream(file_) << "per_device_train_batch_size: 8\n";
    }
    void TearDown() override { fs::remove_all(folder_); }

    fs::path folder_;
    std::string file_;
};

TEST_F(Backups, LeaveLinksAlone) {
    const auto link = (folder_ / "link.yaml").string();
    fs::create_symlink(file_, link);
    ASSERT_TRUE(change_file(file_, "a: 1\n"));
    EXPECT_TRUE(check_writable(file_));
    EXPECT_THAT(check_writable(link).error().message, HasSubstr("real.yaml"));
    EXPECT_EQ(check_writable(link).error().where, link);
    EXPECT_THAT(restore_file(link).error().message, HasSubstr("symbolic link"));
    EXPECT_EQ(*read_config_file(file_), "a: 1\n");
}

// Root writes what it creates as its own: a file that was given away would come back.
TEST_F(Backups, LeaveFilesOfOthersAlone) {
    if (::geteuid() == 0)
        ASSERT_EQ(::chown(file_.c_str(), 12345, 12345), 0);
    else
        file_ = "/etc/passwd";
    EXPECT_THAT(check_writable(file_).error().message, HasSubstr("belongs to another user"));
    EXPECT_FALSE(restore_file(file_));
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
