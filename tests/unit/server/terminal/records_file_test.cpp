#include "server/terminal/files/records_file.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace plimsoll::terminal {
namespace {

class RecordsFile : public testing::Test {
  protected:
    RecordsFile() {
        std::string name = testing::TempDir() + "records-XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~RecordsFile() override { std::filesystem::remove_all(folder_); }

    bool has_label(const std::string& name, const std::string& content) {
        const auto path = folder_ / name;
        std::ofstream(path) << content;
        return may_have_column(path.string(), "label");
    }

    std::filesystem::path folder_;
};

TEST_F(RecordsFile, ACsvFileHasTheColumnsOfItsHeader) {
    EXPECT_TRUE(has_label("a.csv", "text,label\ngood,1\n"));
    EXPECT_TRUE(has_label("a.csv", "\xEF\xBB\xBF\"label\";text"));
    EXPECT_FALSE(has_label("a.csv", "text,labels\nlabel,label\n"));
    EXPECT_TRUE(has_label("a.csv", std::string(9000, 'x') + ",label\n"));
    EXPECT_FALSE(has_label("a.csv", ""));
    EXPECT_FALSE(may_have_column((folder_ / "absent.csv").string(), "label"));
}

TEST_F(RecordsFile, LinesOfJsonMayHaveAnyMember) {
    EXPECT_TRUE(has_label("a.jsonl", R"({"text": "good"})"));
    EXPECT_TRUE(may_have_column("-", "label"));
    EXPECT_FALSE(has_label("a.json", R"({"label": 1})")) << "it holds arguments";
}

}  // namespace
}  // namespace plimsoll::terminal
