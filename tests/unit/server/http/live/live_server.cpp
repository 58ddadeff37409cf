#include "tests/unit/server/http/live/live_server.hpp"

#include "server/base/gzip.hpp"
#include "server/base/hex.hpp"
#include "server/http/contract/contract_text.hpp"

namespace plimsoll::http::test {

LiveServer::LiveServer(const ListenOptions& options) : contract_(contract_json()) {
    const auto port = start(options);
    if (!port) throw std::runtime_error(port.error().message);
    port_ = *port;
}

std::string LiveServer::bytes_of(const Sent& sent) {
    auto text = sent.method + " " + sent.target + " HTTP/1.1\r\nHost: localhost\r\n";
    if (!sent.token.empty()) text += "Authorization: Bearer " + sent.token + "\r\n";
    if (!sent.body.empty()) {
        text += "Content-Type: application/json\r\nContent-Length: " +
                std::to_string(sent.body.size()) + "\r\n";
    }
    for (const auto& [name, value] : sent.headers) text += name + ": " + value + "\r\n";
    return text + "\r\n" + sent.body;
}

RawResponse LiveServer::call(const Sent& sent) {
    RawClient client(port_);
    client.send(bytes_of(sent));
    return client.receive(sent.method == "HEAD");
}

RawResponse LiveServer::call(const std::string& operation_id, const Sent& sent) {
    auto response = call(sent);
    const auto* operation = contract_.find(operation_id);
    EXPECT_NE(operation, nullptr) << operation_id;
    const auto type = response.header("content-type");
    const bool problem = response.status >= 400;
    if (problem) EXPECT_EQ(type, "application/problem+json");
    if (type == "application/json" || problem) {
        const auto* schema = contract_.answer(*operation, response.status, type);
        EXPECT_NE(schema, nullptr) << operation_id << " answers " << response.status;
        if (schema != nullptr) {
            for (const auto& violation : schema->check(response.json())) {
                ADD_FAILURE() << operation_id << " " << response.status << ": " << violation.pointer
                              << " " << violation.message << "\n"
                              << response.body;
            }
        }
    }
    return response;
}

JobId LiveServer::submit() {
    const auto response = call({"POST", "/v1/jobs", identity_.ada, kTwoTexts});
    EXPECT_EQ(response.status, 202) << response.body;
    return JobId{*parse_public_id("job", response.json().at("id").get<std::string>())};
}

HostWorker& LiveServer::worker() {
    if (!worker_) worker_.emplace(database_);
    return *worker_;
}

void LiveServer::finish_jobs(const std::string& rows) {
    worker().finish_jobs(
        rows,
        R"({"model":"vader","model_hash":null,"form":null,"proofs":[],"accuracies":[],"goal":null,"policy":null,"choices":[],"compared":null,
            "reading":null,"by_source":null,"by_group":null,"over_time":null,
            "labels":{"positive":1,"neutral":0,"negative":1},
            "compound":{"mean":0,"standard_deviation":0,"minimum":0,"maximum":0},
            "histogram":[],"devices":[],"most_positive":[],"most_negative":[],"least_certain":[],"errors":[]})");
}

JobId LiveServer::ended(const std::vector<std::string>& chunks) {
    const auto id = submit();
    finish_jobs();
    std::string contents;
    for (const auto& chunk : chunks)
        contents += (contents.empty() ? "'\\x" : "', '\\x") + hex(gzip(chunk));
    const auto job = std::to_string(id.value);
    execute(
        "insert into plimsoll.task (job_id, seq, team_id, first_item, items, est_seconds, input) "
        "select id, n, team_id, n, 1, 0, input from plimsoll.job, generate_series(0, " +
        std::to_string(chunks.size() - 1) + ") n where id = " + job + "; " +
        "update plimsoll.job set est_seconds = null where id = " + job + "; " +
        "with old as (delete from plimsoll.result where job_id = " + job +
        " returning *) "
        "insert into plimsoll.result select job_id, n - 1, team_id, state, fence, worker_id, "
        "attempt, 1, 0, "
        "seconds, length(chunk), chunk, null, null, finished_at "
        "from old, unnest(array[" +
        contents + "']::bytea[]) with ordinality c(chunk, n) where seq = 0");
    return id;
}

std::vector<std::string> pointers_of(const RawResponse& refusal) {
    std::vector<std::string> pointers;
    const auto problem = refusal.json();
    for (const auto& error : problem.value("errors", nlohmann::json::array()))
        pointers.push_back(error.value("pointer", "?"));
    return pointers;
}

}  // namespace plimsoll::http::test
