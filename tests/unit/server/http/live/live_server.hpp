#pragma once

#include "server/http/contract/contract.hpp"
#include "tests/unit/server/http/live/database_server.hpp"
#include "tests/unit/server/http/live/host_worker.hpp"
#include "tests/unit/server/http/live/raw_client.hpp"

#include <future>

namespace plimsoll::http::test {

struct Sent {
    std::string method = "GET";
    std::string target = "/";
    std::string token = {};
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
};

// It listens on a free port from the start, without TLS.
class LiveServer : public DatabaseServer {
  protected:
    LiveServer() : LiveServer(ListenOptions{}) {}
    explicit LiveServer(const ListenOptions& options);

    // Runs `work` on the server's thread and waits for it.
    template <class Work>
    auto on_io(Work work) {
        const auto task = std::make_shared<std::packaged_task<decltype(work())()>>(std::move(work));
        auto result = task->get_future();
        boost::asio::post(io_, [task] { (*task)(); });
        return result.get();
    }

    // One request on its own connection.
    RawResponse call(const Sent& sent);
    // The same; the response must match the contract of this operation.
    RawResponse call(const std::string& operation_id, const Sent& sent);
    static std::string bytes_of(const Sent& sent);

    // Submits a job of two texts with ada's token and returns its ID.
    JobId submit();
    static std::string path_of(JobId id) { return "/v1/jobs/" + to_public(id); }

    HostWorker& worker();
    // The waiting jobs of kind sentiment end with these rows.
    void finish_jobs(const std::string& rows = "");
    // An ended job with these chunks of rows.
    JobId ended(const std::vector<std::string>& chunks);

    unsigned short port_ = 0;

  private:
    Contract contract_;
    std::optional<HostWorker> worker_;
};

// The pointers that an error names, in order.
std::vector<std::string> pointers_of(const RawResponse& refusal);

constexpr const char* kTwoTexts =
    R"({"kind":"sentiment","labels":{"desk":"energy"},"args":{"texts":["good","bad"]}})";

}  // namespace plimsoll::http::test
