// Pinned reports over a socket, held against the contract.
#include "tests/unit/server/http/live/live_server.hpp"

#include <gtest/gtest.h>

namespace plimsoll::http::test {
namespace {

class BaselineEndpoints : public LiveServer {
  protected:
    // A profile job with these arguments that has ended with a report of this device.
    JobId profiled(const std::string& args, const std::string& device) {
        const auto made = call(
            {"POST", "/v1/jobs", identity_.ada, R"({"kind": "profile", "args": )" + args + "}"});
        EXPECT_EQ(made.status, 202) << made.body;
        const JobId id{*parse_public_id("job", made.json().at("id").get<std::string>())};
        execute(
            "update plimsoll.job set state = 'succeeded', started_at = now(), finished_at = now() "
            "where id = " +
            std::to_string(id.value) +
            R"(; insert into plimsoll.report (job_id, team_id, fence, content, created_at) select id, team_id, 0,
                   convert_to('{"device": {"name": ")" +
            device +
            R"(", "type": "gpu", "compute_units": 132}}', 'utf8'), now() from plimsoll.job where id = )" +
            std::to_string(id.value));
        return id;
    }
    RawResponse of(JobId id) {
        return call("getJobBaseline", {"GET", path_of(id) + "/baseline", identity_.ada});
    }
    RawResponse pin(JobId id, const std::string& token) {
        return call("setJobBaseline", {"PUT", path_of(id) + "/baseline", token});
    }
};

TEST_F(BaselineEndpoints, AReportIsComparedWithThePinnedOneOfItsComparisonKey) {
    const auto first = profiled(R"({"mode": "engine"})", "NVIDIA H200");
    const auto later = profiled(R"({"mode": "engine"})", "NVIDIA H200");
    const auto other = profiled(R"({"mode": "engine"})", "NVIDIA H100");
    EXPECT_TRUE(of(later).json()["baseline"].is_null());
    const auto pinned = pin(first, identity_.ada);
    ASSERT_EQ(pinned.status, 200) << pinned.body;
    EXPECT_EQ(pinned.json()["comparison_key"],
              "engine on NVIDIA H200 (gpu, 132 units), batches up to 4096");
    const auto found = of(later).json();
    EXPECT_EQ(found["baseline"]["job_id"], to_public(first));
    EXPECT_EQ(found["summary"]["device"]["name"], "NVIDIA H200");
    EXPECT_TRUE(of(other).json()["baseline"].is_null());

    EXPECT_EQ(pin(later, identity_.ada).status, 200);
    const auto list = call("listBaselines", {"GET", "/v1/baselines", identity_.ada}).json();
    ASSERT_EQ(list["items"].size(), 1u) << "a comparison key has one baseline";
    EXPECT_EQ(list["items"][0]["job_id"], to_public(later));

    const Sent remove{"DELETE", "/v1/baselines/" + list["items"][0]["id"].get<std::string>(),
                      identity_.ada};
    EXPECT_EQ(call("deleteBaseline", remove).status, 204);
    EXPECT_EQ(call("deleteBaseline", remove).status, 404);
    EXPECT_TRUE(of(later).json()["baseline"].is_null());
}

TEST_F(BaselineEndpoints, SubmittersMayPin) {
    const auto id = profiled(R"({"mode": "engine"})", "NVIDIA H200");
    for (const auto& token : {identity_.vera, identity_.narrow}) {
        EXPECT_EQ(pin(id, token).status, 403);
        EXPECT_EQ(
            call("deleteBaseline", {"DELETE", "/v1/baselines/base_0000000000001", token}).status,
            403);
    }
    EXPECT_EQ(pin(id, identity_.tom).status, 404) << "another team's";
    EXPECT_EQ(call("getJobBaseline", {"GET", path_of(id) + "/baseline", identity_.vera}).status,
              200);
}

TEST_F(BaselineEndpoints, OnlyComparableReportsArePinned) {
    const auto id = submit();
    const auto refused = pin(id, identity_.ada);
    EXPECT_EQ(refused.status, 404);
    EXPECT_NE(refused.body.find("Reports of kind sentiment cannot be compared."),
              std::string::npos);
}

TEST_F(BaselineEndpoints, AJobThatRunsHasNoReportToPin) {
    const auto made = call(
        {"POST", "/v1/jobs", identity_.ada, R"({"kind": "profile", "args": {"mode": "engine"}})"});
    const JobId id{*parse_public_id("job", made.json().at("id").get<std::string>())};
    EXPECT_EQ(pin(id, identity_.ada).status, 409);
    EXPECT_EQ(of(id).status, 409);
}

}  // namespace
}  // namespace plimsoll::http::test
