#include "server/client/credentials.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::client {
namespace {

using ::testing::HasSubstr;

class CredentialsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string folder = std::filesystem::temp_directory_path() / "plimsoll-wallet-XXXXXX";
        ASSERT_NE(::mkdtemp(folder.data()), nullptr);
        folder_ = folder;
        ::setenv("PLIMSOLL_CREDENTIALS", (folder_ / "credentials.json").c_str(), 1);
        for (const auto* name : {"PLIMSOLL_SERVER", "PLIMSOLL_TOKEN", "PLIMSOLL_ALLOW_HTTP"})
            ::unsetenv(name);
    }
    void TearDown() override {
        ::unsetenv("PLIMSOLL_CREDENTIALS");
        std::filesystem::remove_all(folder_);
    }
    static std::string refused() {
        const auto credentials = load_credentials();
        return credentials ? "sent to " + credentials->server : credentials.error().message;
    }

    std::filesystem::path folder_;
};

TEST(Origin, IsSchemeHostAndPort) {
    EXPECT_EQ(*origin_of("HTTP://Gpu-Box:7272/jobs?x#y"), "http://gpu-box:7272");
    EXPECT_EQ(*origin_of("https://gpu.example.com:443/"), "https://gpu.example.com");
    EXPECT_EQ(*origin_of("http://user:word@host:80"), "http://host");
    EXPECT_EQ(*origin_of("http://[::1]:7272"), "http://[::1]:7272");
    for (const auto* wrong : {"gpu-box:7272", "ftp://gpu-box", "http://", "", "http://a b"})
        EXPECT_FALSE(origin_of(wrong)) << wrong;
}

TEST(Origin, IsPrivateOverTlsAndOnThisMachine) {
    for (const auto* safe : {"https://gpu.example.com", "http://localhost:1", "http://127.9.0.1",
                             "http://[::1]:7272", "http://a.localhost"}) {
        EXPECT_TRUE(is_private(safe)) << safe;
    }
    for (const auto* open : {"http://gpu-box", "http://10.0.0.1:7272", "http://127.0.0.1.evil.test",
                             "http://localhost.evil.test", "http://[fe80::1]"}) {
        EXPECT_FALSE(is_private(open)) << open;
    }
}

TEST_F(CredentialsTest, AreSentOnlyToTheirOwnServer) {
    Wallet wallet;
    wallet.servers["http://127.0.0.1:7272"].token = "first";
    wallet.servers["https://gpu.example.com"].token = "second";
    wallet.current = "http://127.0.0.1:7272";
    ASSERT_TRUE(save_wallet(wallet));
    EXPECT_EQ(load_credentials()->token, "first");
    ::setenv("PLIMSOLL_SERVER", "https://GPU.example.com:443/", 1);
    EXPECT_EQ(load_credentials()->token, "second");
    for (const auto* other : {"http://127.0.0.1:7273", "http://gpu.example.com",
                              "https://gpu.example.com:8443", "http://localhost:7272"}) {
        ::setenv("PLIMSOLL_SERVER", other, 1);
        EXPECT_THAT(refused(), HasSubstr("Not signed in to")) << other;
    }
}

TEST_F(CredentialsTest, OfTheEnvironmentComeInPairs) {
    ::setenv("PLIMSOLL_TOKEN", "word", 1);
    EXPECT_EQ(refused(), "PLIMSOLL_TOKEN also needs PLIMSOLL_SERVER.");
    ::setenv("PLIMSOLL_SERVER", "http://127.0.0.1:7272", 1);
    EXPECT_EQ(load_credentials()->token, "word");
    ::setenv("PLIMSOLL_SERVER", "127.0.0.1:7272", 1);
    EXPECT_THAT(refused(), HasSubstr("https://host:port"));
}

TEST_F(CredentialsTest, AreSentOverPlainHttpOnlyOnRequest) {
    ::setenv("PLIMSOLL_TOKEN", "word", 1);
    ::setenv("PLIMSOLL_SERVER", "http://gpu-box:7272", 1);
    EXPECT_THAT(refused(), HasSubstr("plain HTTP"));
    ::setenv("PLIMSOLL_ALLOW_HTTP", "1", 1);
    EXPECT_EQ(load_credentials()->token, "word");
    ::unsetenv("PLIMSOLL_ALLOW_HTTP");
    ::unsetenv("PLIMSOLL_TOKEN");
    Wallet wallet;
    wallet.servers["http://gpu-box:7272"] = {"saved", true, false};
    ASSERT_TRUE(save_wallet(wallet));
    EXPECT_EQ(load_credentials()->token, "saved");
}

TEST_F(CredentialsTest, AreReadableByTheirOwnerOnly) {
    const auto victim = folder_ / "victim";
    std::ofstream(victim) << "untouched";
    std::filesystem::create_symlink(victim, folder_ / "credentials.json.new");
    ASSERT_TRUE(save_wallet({}));
    struct stat info{};
    ASSERT_EQ(::stat(credentials_file().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777u, 0600u);
    EXPECT_EQ(std::filesystem::file_size(victim), 9u);
    std::ofstream(credentials_file()) << "{}";
    EXPECT_THAT(load_wallet().error().message, HasSubstr("remove the file"));
}

TEST(FindServer, AcceptsUnambiguousHosts) {
    Wallet wallet;
    for (const auto* one : {"http://127.0.0.1:7272", "http://127.0.0.1:7373", "https://gpu-box"})
        wallet.servers[one].token = "x";
    EXPECT_EQ(*find_server(wallet, "GPU-box"), "https://gpu-box");
    EXPECT_EQ(*find_server(wallet, "127.0.0.1:7373"), "http://127.0.0.1:7373");
    EXPECT_EQ(*find_server(wallet, "http://127.0.0.1:7272/"), "http://127.0.0.1:7272");
    EXPECT_THAT(find_server(wallet, "127.0.0.1").error().message, HasSubstr("Several servers"));
    EXPECT_THAT(find_server(wallet, "gpu").error().message, HasSubstr("https://gpu-box"));
}

}  // namespace
}  // namespace plimsoll::client
