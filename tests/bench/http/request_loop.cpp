// Asks one path again and again over keep-alive connections, and prints how long the answers took.
//
//     http_request_loop PORT PATH TOKEN CONNECTIONS SECONDS REQUESTS_PER_SECOND [JSON]
//
// GET, or with a body POST. Answers 429 and 503 are counted, and not timed. With a rate of 0 each
// connection asks as soon as it has its answer. With a rate the requests have their times before
// the run begins, and an answer's time counts from there: a server that stalls makes every request
// behind the stall late, too, also those that could not even be sent.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio.hpp>
#include <sched.h>

namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

struct Plan {
    std::string request;
    Clock::time_point start;
    Clock::time_point end;
    Clock::duration pace{};  // between two requests; 0: no pace
    long next = 0;           // which request of the plan is the next one to send
    std::vector<float> milliseconds;
    long refused = 0;
};

// Whether it was not refused. Reads the bytes of one answer's head and body; the rest of `buffer`
// belongs to nobody, as nothing is pipelined.
awaitable<bool> read_answer(tcp::socket& socket, std::string& buffer) {
    buffer.clear();
    const auto head = co_await asio::async_read_until(socket, asio::dynamic_buffer(buffer),
                                                      "\r\n\r\n", use_awaitable);
    const bool refused = buffer.starts_with("HTTP/1.1 429") || buffer.starts_with("HTTP/1.1 503");
    if (!refused && !buffer.starts_with("HTTP/1.1 20"))
        throw std::runtime_error(buffer.substr(0, head));
    constexpr std::string_view kLength = "Content-Length: ";
    const auto at = buffer.find(kLength);
    std::size_t length = 0;
    if (at >= head ||
        std::from_chars(buffer.data() + at + kLength.size(), buffer.data() + head, length).ec !=
            std::errc()) {
        throw std::runtime_error("an answer without Content-Length");
    }
    if (const auto whole = head + length; buffer.size() < whole) {
        co_await asio::async_read(socket, asio::dynamic_buffer(buffer),
                                  asio::transfer_exactly(whole - buffer.size()), use_awaitable);
    }
    co_return !refused;
}

awaitable<void> ask(tcp::endpoint server, Plan& plan) {
    tcp::socket socket(co_await asio::this_coro::executor);
    asio::steady_timer timer(socket.get_executor());
    std::string buffer;
    while (true) {
        if (!socket.is_open()) {
            co_await socket.async_connect(server, use_awaitable);
            socket.set_option(tcp::no_delay(true));
        }
        auto due = std::max(Clock::now(), plan.start);
        if (plan.pace.count() != 0) {
            due = plan.start + plan.next++ * plan.pace;
            timer.expires_at(due);
            co_await timer.async_wait(use_awaitable);
        }
        if (due >= plan.end) co_return;
        co_await asio::async_write(socket, asio::buffer(plan.request), use_awaitable);
        if (!co_await read_answer(socket, buffer)) {
            ++plan.refused;
            socket.close();  // as the server does, unless it read the body
            continue;
        }
        plan.milliseconds.push_back(
            std::chrono::duration<float, std::milli>(Clock::now() - due).count());
    }
}

float percentile(const std::vector<float>& sorted, double share) {
    return sorted.at(static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1)));
}

// The clients of a real server are on other machines: here they must not take the processor from it
// in the middle of an answer, only when it waits.
void give_way() {
    constexpr sched_param kNone{};
    sched_setscheduler(0, SCHED_BATCH, &kNone);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 7 && count != 8) return 2;
    give_way();
    const std::string body = count == 8 ? arguments[7] : "";
    const tcp::endpoint server(asio::ip::address_v4::loopback(),
                               static_cast<unsigned short>(std::atoi(arguments[1])));
    const std::chrono::seconds length(std::atoi(arguments[5]));
    const auto rate = std::atol(arguments[6]);
    Plan plan;
    plan.request = std::string(body.empty() ? "GET " : "POST ") + arguments[2] +
                   " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + arguments[3];
    if (!body.empty()) {
        plan.request +=
            "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size());
    }
    plan.request += "\r\n\r\n" + body;
    plan.start = Clock::now();
    plan.end = plan.start + length;
    if (rate != 0)
        plan.pace = std::chrono::duration_cast<Clock::duration>(std::chrono::seconds(1)) / rate;
    asio::io_context context(1);
    for (int left = std::atoi(arguments[4]); left > 0; --left) {
        asio::co_spawn(context, ask(server, plan), [](const std::exception_ptr& failed) {
            if (failed) std::rethrow_exception(failed);
        });
    }
    context.run();
    std::sort(plan.milliseconds.begin(), plan.milliseconds.end());
    std::printf(
        "{\"requests_per_second\": %.1f, \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"answered\": %zu, "
        "\"refused\": %ld}\n",
        static_cast<double>(plan.milliseconds.size()) / static_cast<double>(length.count()),
        percentile(plan.milliseconds, 0.5), percentile(plan.milliseconds, 0.99),
        plan.milliseconds.size(), plan.refused);
}
