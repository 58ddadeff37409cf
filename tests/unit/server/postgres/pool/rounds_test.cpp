#include "server/postgres/pool/rounds.hpp"

#include <chrono>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace plimsoll::postgres {
namespace {

constexpr std::chrono::hours kNever(1000);

// Answers what it was asked, once the test lets a round end.
class Echo final : public Rounds<int, int> {
  public:
    Echo(asio::any_io_executor executor, std::chrono::milliseconds gather)
        : Rounds(executor, {.calls = 100,
                            .weight = 100,
                            .waiting_calls = 100,
                            .waiting_weight = 100,
                            .patience = kNever,
                            .gather = gather}),
          gate_(executor) {}

    std::vector<std::size_t> begun;  // how many calls each round had

    void end_round() { gate_.cancel(); }

  private:
    std::size_t weigh(const int&) const override { return 1; }
    asio::awaitable<void> run(Round round) override {
        begun.push_back(round.size());
        gate_.expires_after(kNever);
        co_await gate_.async_wait(asio::as_tuple(asio::use_awaitable));
        for (const auto& call : round) answer(*call, call->asked);
    }

    asio::steady_timer gate_;
};

// Answers within the call that begins the round, as a pool does whose database is known to be down.
class Prompt final : public Rounds<int, int> {
  public:
    explicit Prompt(asio::any_io_executor executor)
        : Rounds(executor, {.calls = 100,
                            .weight = 100,
                            .waiting_calls = 100,
                            .waiting_weight = 100,
                            .patience = kNever}) {}

  private:
    std::size_t weigh(const int&) const override { return 1; }
    asio::awaitable<void> run(Round round) override {
        for (const auto& call : round) answer(*call, call->asked);
        co_return;
    }
};

struct GroupedRounds : testing::Test {
    asio::io_context context;
    int answered = 0;

    std::shared_ptr<Echo> echo(std::chrono::milliseconds gather) {
        return std::make_shared<Echo>(context.get_executor(), gather);
    }

    // Everything that follows from it, up to the next wait.
    void settle() {
        context.restart();
        context.poll();
    }

    void ask(const std::shared_ptr<Rounds<int, int>>& rounds, int calls) {
        for (int n = 0; n < calls; ++n) {
            asio::co_spawn(
                context, [rounds, n] { return rounds->ask(n); },
                [this, n](std::exception_ptr, Result<int> answer) { answered += answer == n; });
        }
        settle();
    }

    void end_round(const std::shared_ptr<Echo>& rounds) {
        rounds->end_round();
        settle();
    }
};

using Sizes = std::vector<std::size_t>;

TEST_F(GroupedRounds, AnAnswerWithoutAWaitIsNotWaitedFor) {
    const auto rounds = std::make_shared<Prompt>(context.get_executor());
    ask(rounds, 1);
    EXPECT_EQ(answered, 1);
    ask(rounds, 3);
    EXPECT_EQ(answered, 4);
}

TEST_F(GroupedRounds, ASingleCallStartsARoundAtOnce) {
    const auto rounds = echo(kNever);
    for (int n = 1; n <= 3; ++n) {
        ask(rounds, 1);
        EXPECT_EQ(rounds->begun.size(), static_cast<std::size_t>(n));
        end_round(rounds);
    }
    EXPECT_EQ(answered, 3);
}

TEST_F(GroupedRounds, CallsDuringARoundShareTheNext) {
    const auto rounds = echo(std::chrono::milliseconds(0));
    ask(rounds, 1);
    ask(rounds, 5);
    end_round(rounds);
    EXPECT_EQ(rounds->begun, (Sizes{1, 5}));
    end_round(rounds);
    EXPECT_EQ(answered, 6);
    ask(rounds, 1);
    EXPECT_EQ(rounds->begun, (Sizes{1, 5, 1}));
    end_round(rounds);
}

TEST_F(GroupedRounds, TheRoundAfterOneOfManyWaitsForAsMany) {
    const auto rounds = echo(kNever);
    ask(rounds, 1);
    ask(rounds, 3);
    end_round(rounds);
    end_round(rounds);
    ask(rounds, 2);
    EXPECT_EQ(rounds->begun, (Sizes{1, 3}));
    ask(rounds, 1);
    EXPECT_EQ(rounds->begun, (Sizes{1, 3, 3}));
    end_round(rounds);
    EXPECT_EQ(answered, 7);
}

TEST_F(GroupedRounds, TheWaitForManyIsBounded) {
    const auto rounds = echo(std::chrono::milliseconds(1));
    ask(rounds, 1);
    ask(rounds, 3);
    end_round(rounds);
    end_round(rounds);
    ask(rounds, 1);
    context.restart();
    while (rounds->begun.size() < 3) context.run_one();
    EXPECT_EQ(rounds->begun, (Sizes{1, 3, 1}));
    end_round(rounds);
    EXPECT_EQ(answered, 5);
}

}  // namespace
}  // namespace plimsoll::postgres
