#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

using nlohmann::json;

class JobSpecs : public LiveServer {
  protected:
    RawResponse post(const std::string& body) {
        return call("createJob", {"POST", "/v1/jobs", identity_.ada, body});
    }
    // The pointers of a 422, in order.
    std::vector<std::string> refused(const std::string& body) {
        const auto response = post(body);
        EXPECT_EQ(response.status, 422) << response.body;
        return pointers_of(response);
    }
};

json with(const char* member, const json& value) {
    return {{"kind", "sentiment"}, {"args", {{"texts", {"a"}}}}, {member, value}};
}

TEST_F(JobSpecs, TimesAreReadAndChecked) {
    auto body = with("run_at", "2100-01-01T00:00:00+01:00");
    body["deadline"] = "2100-01-02T00:00:00Z";
    body["timeout_seconds"] = 90;
    const auto job = post(body.dump()).json();
    EXPECT_EQ(job.at("run_at"), "2099-12-31T23:00:00.000Z");
    EXPECT_EQ(job.at("deadline"), "2100-01-02T00:00:00.000Z");
    EXPECT_EQ(job.at("timeout_seconds"), 90);
    body["deadline"] = body["run_at"];
    using Pointers = std::vector<std::string>;
    EXPECT_EQ(refused(body.dump()), Pointers{"/deadline"});
    EXPECT_EQ(refused(with("deadline", "2001-01-01T00:00:00Z").dump()), Pointers{"/deadline"});
    EXPECT_EQ(refused(with("run_at", "tomorrow").dump()), Pointers{"/run_at"});
    EXPECT_EQ(refused(with("timeout_seconds", 0).dump()), Pointers{"/timeout_seconds"});
}

TEST_F(JobSpecs, ATakenUniqueKeyNamesItsJob) {
    const auto spec = with("unique", {{"key", "nightly"}}).dump();
    const auto holder = post(spec).json();
    EXPECT_EQ(holder.at("unique_key"), "nightly");
    const auto conflict = post(spec);
    EXPECT_EQ(conflict.status, 409);
    EXPECT_EQ(conflict.json().at("type"), "/docs/problems/not-unique");
    EXPECT_EQ(conflict.json().at("detail"), "The job " + holder.at("id").get<std::string>() +
                                                " has this unique key and is unfinished.");
    EXPECT_EQ(holder.at("links").at("self"), conflict.header("location"));
    const auto given = post(with("unique", {{"key", "nightly"}, {"on_conflict", "return"}}).dump());
    EXPECT_EQ(given.status, 200);
    EXPECT_EQ(given.json().at("id"), holder.at("id"));
    using Pointers = std::vector<std::string>;
    EXPECT_EQ(refused(with("unique", json::object()).dump()), Pointers{"/unique/key"});
}

}  // namespace
}  // namespace plimsoll::http::test
