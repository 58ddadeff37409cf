#pragma once

#include "tests/conformance/promises/stores.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace plimsoll::conformance {

// No test takes as long.
inline constexpr std::chrono::hours kLong{1};

// The promises of a store, tested on each implementation: a fake that differs from PostgreSQL fails
// here. Each test has its own team and job kind.
class Promises : public testing::TestWithParam<const char*> {
  protected:
    Promises()
        : kind_(name_of_test()),
          stores_(std::string(GetParam()) == "memory" ? memory_stores(io_, kind_)
                                                      : postgres_stores(io_, kind_)),
          people_(stores_->make_people(kind_)) {}

    queue::NewJob job_of(int tasks) const { return make_job(people_, kind_, tasks); }
    JobId submit(int tasks = 1) { return must(stores_->jobs().submit(job_of(tasks))).id; }
    queue::Job job(JobId id) { return must(stores_->jobs().get(people_.team, id)); }
    People others() { return stores_->make_people(kind_ + " others"); }

    template <class T>
    Result<T> run(asio::awaitable<Result<T>> call) {
        return await(io_, std::move(call));
    }
    // A precondition of the test.
    template <class T>
    T must(asio::awaitable<Result<T>> call) {
        auto result = run(std::move(call));
        if (!result) throw std::runtime_error(result.error().message);
        if constexpr (!std::is_void_v<T>) return std::move(*result);
    }
    // The error; none: it succeeds.
    template <class T>
    std::optional<Errc> code(asio::awaitable<Result<T>> call) {
        const auto result = run(std::move(call));
        return result ? std::optional<Errc>() : std::optional(result.error().code);
    }
    static Timestamp in(std::chrono::seconds time) { return SystemClock().now() + time; }

    static std::string name_of_test() {
        auto name = unique_test_name();
        std::ranges::replace(name, '/', '_');
        return name;
    }

    asio::io_context io_;
    std::string kind_;
    std::unique_ptr<Stores> stores_;
    People people_;
};

// Write this once for each class of promises.
#define PLIMSOLL_OVER_ALL_STORES(promises)                                          \
    INSTANTIATE_TEST_SUITE_P(Over, promises, testing::Values("postgres", "memory"), \
                             [](const auto& store) { return std::string(store.param); })

}  // namespace plimsoll::conformance
