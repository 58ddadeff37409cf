#include "engine/kernels/embedded.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

namespace plimsoll::kernels {
namespace {

TEST(EmbeddedKernels, AreTheFilesByteForByte) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator("engine/kernels")) {
        if (entry.path().extension() != ".cl") continue;
        std::ifstream in(entry.path());
        std::stringstream text;
        text << in.rdbuf();
        EXPECT_EQ(source(entry.path().stem().string()), text.str()) << entry.path();
        names.insert(entry.path().stem().string());
    }
    EXPECT_EQ(embedded().size(), names.size());
    EXPECT_FALSE(names.empty());
}

TEST(EmbeddedKernels, AnUnknownNameThrows) { EXPECT_THROW(source("no_such"), std::logic_error); }

}  // namespace
}  // namespace plimsoll::kernels
