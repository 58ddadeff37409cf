#pragma once

#include "server/base/awaitable.hpp"
#include "server/base/background_priority.hpp"

#include <type_traits>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll {

template <class Work>
awaitable<std::invoke_result_t<Work&>> run_work(Work work) {
    co_return work();
}

// Runs `work` on the pool and resumes on the caller's executor, so that the I/O thread stays free.
// Anything `work` references must outlive the call; awaiting the result immediately ensures that.
template <class Work>
awaitable<std::invoke_result_t<Work&>> offload(boost::asio::thread_pool& pool, Work work) {
    auto running = run_work(std::move(work));
    co_return co_await boost::asio::co_spawn(pool, std::move(running), boost::asio::use_awaitable);
}

// As `offload`, for work that computes for long: requests come first.
template <class Work>
awaitable<std::invoke_result_t<Work&>> compute(boost::asio::thread_pool& pool, Work work) {
    const auto give_way = [&work] {
        const BackgroundPriority background_priority;
        return work();
    };
    co_return co_await offload(pool, give_way);
}

}  // namespace plimsoll
