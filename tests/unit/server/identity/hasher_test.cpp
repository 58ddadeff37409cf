#include "server/identity/hasher/hasher.hpp"

#include "server/identity/password.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace plimsoll::identity {
namespace {

constexpr auto kBoat = "a boat that floats";

// The program that this thread started last; 0: none.
pid_t child() {
    const auto self = std::to_string(getpid());
    std::ifstream children("/proc/" + self + "/task/" + self + "/children");
    pid_t found = 0;
    while (children >> found) {
    }
    return found;
}

// How often a program gave its processor away, how many pages it was given, and how long it ran.
struct Turns {
    long given = 0;
    long pages = 0;
    std::chrono::nanoseconds processor_time{};
};

Turns turns_of(pid_t program) {
    Turns found;
    std::ifstream status("/proc/" + std::to_string(program) + "/status");
    for (std::string line; std::getline(status, line);) {
        constexpr std::string_view kGiven = "voluntary_ctxt_switches:";
        if (line.starts_with(kGiven)) found.given = std::stol(line.substr(kGiven.size()));
    }
    std::ifstream stat("/proc/" + std::to_string(program) + "/stat");
    std::string field;
    for (int place = 1; place <= 10 && stat >> field; ++place) {
    }
    found.pages = std::stol(field);
    long ran = 0;  // ns
    std::ifstream("/proc/" + std::to_string(program) + "/schedstat") >> ran;
    found.processor_time = std::chrono::nanoseconds(ran);
    return found;
}

class PasswordHasher : public ::testing::Test {
  protected:
    Hasher hasher_{PLIMSOLL_HASHER};
};

TEST_F(PasswordHasher, HashesAndCompares) {
    const auto hash = hasher_.hash(kBoat).value();
    EXPECT_TRUE(matches_password(hash, kBoat));
    const auto right = hasher_.compare(hash, kBoat).value();
    EXPECT_TRUE(right.same);
    EXPECT_EQ(right.newer, "");
    EXPECT_FALSE(hasher_.compare(hash, "a boat that float").value().same);
    EXPECT_FALSE(hasher_.compare(hash, "").value().same);
    EXPECT_FALSE(hasher_.compare(unmatched_hash(), kBoat).value().same);
}

TEST_F(PasswordHasher, KeepsAPasswordsBytesApartFromTheHash) {
    const std::string odd("a\0b\0", 4);
    const auto hash = hasher_.hash(odd).value();
    EXPECT_TRUE(hasher_.compare(hash, odd).value().same);
    EXPECT_FALSE(hasher_.compare(hash, "a").value().same);
}

// At the costs of two passes over 64 KiB, by argon2-cffi 25.1 and OpenSSL 3.5.
TEST_F(PasswordHasher, ReplacesACheapHash) {
    const std::string cheap =
        "$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$"
        "Gpj7qOY5RCXJvcMzqcdQqvgR3wcPX7SleI4c9NtXk6E";
    const auto compared = hasher_.compare(cheap, "password").value();
    EXPECT_TRUE(compared.same);
    EXPECT_FALSE(is_outdated(compared.newer)) << compared.newer;
    EXPECT_TRUE(matches_password(compared.newer, "password"));
    EXPECT_EQ(hasher_.compare(cheap, "passwore").value().newer, "");
}

TEST_F(PasswordHasher, RestartsItsProgramIfItDies) {
    EXPECT_EQ(child(), 0) << "before it is needed";
    const auto hash = hasher_.hash(kBoat).value();
    const auto first = child();
    ASSERT_GT(first, 0);
    EXPECT_GT(getpriority(PRIO_PROCESS, static_cast<id_t>(first)), 0);
    kill(first, SIGKILL);
    EXPECT_TRUE(hasher_.compare(hash, kBoat).value().same);
    EXPECT_NE(child(), first);
}

// 25 ms without a pause, and 19 MiB of new pages, would hold up others for as long.
TEST_F(PasswordHasher, PausesInAHashAndKeepsItsMemory) {
    ASSERT_TRUE(hasher_.hash(kBoat));
    const auto before = turns_of(child());
    for (int times = 0; times < 5; ++times) ASSERT_TRUE(hasher_.hash(kBoat));
    const auto after = turns_of(child());
    EXPECT_GT(after.given - before.given, 5 * 20);
    EXPECT_LT(after.pages - before.pages, 1'000);
}

// Beside threads that never wait each pause is long: a hash makes fewer, or it would take minutes.
TEST_F(PasswordHasher, PausesLessOftenOnABusyMachine) {
    using namespace std::chrono_literals;
    Hasher patient(PLIMSOLL_HASHER, {.answer = 5min, .pause = 1h});
    ASSERT_TRUE(patient.hash(kBoat));
    std::atomic<bool> over = false;
    std::vector<std::thread> others;
    for (unsigned number = 0; number < 2 * std::thread::hardware_concurrency(); ++number) {
        others.emplace_back([&over] {
            while (!over) {
            }
        });
    }
    const auto before = turns_of(child());
    for (int times = 0; times < 2; ++times) EXPECT_TRUE(patient.hash(kBoat));
    const auto after = turns_of(child());
    over = true;
    for (auto& other : others) other.join();
    // Runs of 200 us elsewhere.
    EXPECT_LT((after.given - before.given) * 350us, after.processor_time - before.processor_time);
}

// A program that hangs costs one call its patience, not every call behind it.
TEST_F(PasswordHasher, ReplacesAProgramThatHangs) {
    using namespace std::chrono_literals;
    Hasher hasher(PLIMSOLL_HASHER, {.answer = 8s, .pause = 1h});
    const auto hash = hasher.hash(kBoat).value();
    const auto hung = child();
    kill(hung, SIGSTOP);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(hasher.compare(hash, kBoat).error().code, Errc::unavailable);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 7900ms);
    EXPECT_EQ(child(), 0) << "it is not left behind";
    EXPECT_EQ(hasher.compare(hash, kBoat).error().code, Errc::unavailable) << "at once";
    EXPECT_EQ(child(), 0);

    Hasher forgiving(PLIMSOLL_HASHER, {.answer = 8s, .pause = 0s});
    ASSERT_TRUE(forgiving.hash(kBoat));
    kill(child(), SIGSTOP);
    EXPECT_TRUE(forgiving.compare(hash, kBoat).value().same) << "by another one";
}

TEST_F(PasswordHasher, EndsItsProgramWithItself) {
    {
        Hasher hasher(PLIMSOLL_HASHER);
        ASSERT_TRUE(hasher.hash(kBoat));
        ASSERT_NE(child(), 0);
    }
    EXPECT_EQ(child(), 0);
}

TEST_F(PasswordHasher, ReportsThatItCannotHash) {
    Hasher missing("/nonexistent/plimsoll-hasher");
    EXPECT_EQ(missing.hash(kBoat).error().code, Errc::unavailable);
    EXPECT_EQ(hasher_.hash(std::string(10'000, 'x')).error().code, Errc::unavailable) << "too long";
}

}  // namespace
}  // namespace plimsoll::identity
