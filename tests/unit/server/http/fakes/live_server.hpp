#pragma once

#include "fake_baselines.hpp"
#include "fake_dataset_store.hpp"
#include "fake_identity.hpp"
#include "fake_job_store.hpp"
#include "fake_schedules.hpp"
#include "fake_shares.hpp"
#include "fake_team_records.hpp"
#include "fake_webhooks.hpp"
#include "raw_client.hpp"
#include "server/http/contract/contract.hpp"
#include "server/http/serving/http_server.hpp"
#include "server/jobs/registry.hpp"

#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace plimsoll::http::test {

struct Sent {
    std::string method = "GET";
    std::string target = "/";
    std::string token = {};
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
};

// The real server on a free port, with everything behind it in memory.
class LiveServer : public ::testing::Test {
  protected:
    LiveServer() : LiveServer(Timeouts{}) {}
    explicit LiveServer(Timeouts timeouts);
    ~LiveServer() override;

    // Runs `work` on the server's thread and waits for it.
    template <class Work>
    auto on_io(Work work) {
        const auto task = std::make_shared<std::packaged_task<decltype(work())()>>(std::move(work));
        auto result = task->get_future();
        boost::asio::post(io_, [task] { (*task)(); });
        return result.get();
    }

    // One request on a connection of its own.
    RawResponse call(const Sent& sent);
    // The same, and the answer must be what the contract says of this operation.
    RawResponse call(const std::string& operation_id, const Sent& sent);
    static std::string bytes_of(const Sent& sent);

    // Submits a job of two texts with ada's token; its id.
    JobId submit();
    static std::string path_of(JobId id) { return "/v1/jobs/" + to_public(id); }

    boost::asio::io_context io_;
    boost::asio::thread_pool pool_{1};
    SystemClock clock_;
    FakeJobStore jobs_;
    FakeDatasetStore datasets_;
    FakeSignals signals_;
    FakeShares shares_;
    FakeIdentity identity_;
    FakeWebhooks webhooks_;
    FakeTeamRecords records_;
    planning::Planner planner_{datasets_, jobs::contracts(), {records_, jobs_}, pool_};
    FakeSchedules schedules_;
    FakeBaselines baselines_;
    webhooks::AllowList webhook_targets_ =
        webhooks::AllowList::parse("https://hooks.example.com", "").value();
    std::unique_ptr<HttpServer> server_;
    unsigned short port_ = 0;

  private:
    Contract contract_;
    std::thread thread_;
};

// The pointers that a refusal names, in order.
std::vector<std::string> pointers_of(const RawResponse& refusal);

constexpr const char* kTwoTexts =
    R"({"kind":"sentiment","labels":{"desk":"energy"},"args":{"texts":["good","bad"]}})";

}  // namespace plimsoll::http::test
