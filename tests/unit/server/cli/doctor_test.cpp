#include "server/cli/machine/doctor.hpp"

#include <algorithm>

#include <gmock/gmock.h>

namespace plimsoll::cli {
namespace {

using testing::HasSubstr;
using Grade = Finding::Grade;

DoctorFacts healthy() {
    DoctorFacts facts;
    facts.version = "1.2.3";
    facts.postgres_servers = {{15, "/usr/lib/postgresql/15/bin"}};
    facts.address = "127.0.0.1:7272";
    facts.probe = R"({"devices":[{"device":"opencl:pocl:0","state":"ready","name":"A processor",)"
                  R"("driver_version":"3.1"}],"problems":[]})";
    facts.memory_free_bytes = 8'000'000'000;
    facts.data_directory = "/srv/data";
    facts.disk_free_bytes = 50'000'000'000;
    return facts;
}

// The gravest finding about something.
Finding about(const DoctorFacts& facts, const std::string& what) {
    Finding worst;
    for (const auto& finding : judge(facts))
        if (finding.about == what && (worst.about.empty() || finding.grade > worst.grade))
            worst = finding;
    EXPECT_EQ(worst.about, what);
    return worst;
}

TEST(Doctor, FindsNothingWrongWithAHealthyMachine) {
    for (const auto& finding : judge(healthy())) {
        EXPECT_EQ(finding.grade, Grade::good) << finding.about << ": " << finding.found;
        EXPECT_TRUE(finding.advice.empty()) << finding.advice;
    }
}

TEST(Doctor, SaysWhatToInstall) {
    auto facts = healthy();
    facts.postgres_servers.clear();
    EXPECT_EQ(about(facts, "PostgreSQL").grade, Grade::bad);
    EXPECT_THAT(about(facts, "PostgreSQL").advice, HasSubstr("package postgresql"));
    facts.probe = R"({"devices":[],"problems":[]})";
    EXPECT_EQ(about(facts, "OpenCL").grade, Grade::remark) << "work for the host is still done";
    EXPECT_THAT(about(facts, "OpenCL").advice, HasSubstr("'plimsoll[cpu]'"));
}

TEST(Doctor, ReportsADatabaseThatDoesNotRespond) {
    auto facts = healthy();
    facts.database_problem = Error{Errc::unavailable, "Connection refused.", ""};
    EXPECT_EQ(about(facts, "PostgreSQL").grade, Grade::good) << "a private one starts with serve";
    facts.embedded_database = false;
    EXPECT_EQ(about(facts, "PostgreSQL").grade, Grade::bad);
    EXPECT_THAT(about(facts, "PostgreSQL").found, HasSubstr("Connection refused"));
}

TEST(Doctor, AnObjectStoreIsJudgedIfThereIsOne) {
    auto facts = healthy();
    facts.has_object_store = true;
    EXPECT_EQ(about(facts, "Object store").grade, Grade::good);
    facts.object_store_problem = Error{Errc::unavailable, "It refuses the request.", ""};
    EXPECT_EQ(about(facts, "Object store").grade, Grade::bad);
    EXPECT_THAT(about(facts, "Object store").found, HasSubstr("refuses"));
}

TEST(Doctor, SaysWhyADeviceGetsNoTasks) {
    auto facts = healthy();
    facts.probe = R"({"devices":[{"device":"opencl:nv:0","state":"crashed","name":"A GPU",)"
                  R"("driver_version":"1","reason":"killed by SIGSEGV"}],"problems":["Broken."]})";
    const auto findings = judge(facts);
    EXPECT_EQ(std::ranges::count(findings, "OpenCL", &Finding::about), 3);
    const auto device = std::ranges::find(findings, "OpenCL", &Finding::about);
    EXPECT_THAT(device->found, HasSubstr("crashed, killed by SIGSEGV"));
    facts.probe = fail(Errc::not_found, "It cannot be run.");
    EXPECT_EQ(about(facts, "OpenCL").grade, Grade::bad);
    facts.probe = "Segmentation fault";
    EXPECT_EQ(about(facts, "OpenCL").grade, Grade::bad);
}

TEST(Doctor, SaysWhichQueuesDevicesHave) {
    auto facts = healthy();
    facts.probe = R"({"devices":[{"device":"opencl:pocl:0","state":"ready","type":"cpu"},)"
                  R"({"device":"opencl:nv:0","state":"ready","type":"gpu"}],"problems":[]})";
    const auto queues = [&] {
        std::vector<std::string> found;
        for (const auto& finding : judge(facts))
            if (finding.about == "Queues") found.push_back(finding.found);
        return found;
    };
    EXPECT_THAT(queues(), testing::Each(HasSubstr("FEATURE_CUDA_STREAMS is off")));
    facts.second_queue = true;
    EXPECT_THAT(queues(),
                testing::ElementsAre(HasSubstr("on, but has no effect on opencl:pocl:0"),
                                     HasSubstr("on: opencl:nv:0 uses a second queue for copies")));
}

TEST(Doctor, DistinguishesAServerWithOtherData) {
    auto facts = healthy();
    facts.servers = {{17, "/srv/data"}, {18, ""}};
    EXPECT_EQ(about(facts, "Server").grade, Grade::good);
    facts.servers = {{17, "/srv/other"}};
    EXPECT_THAT(about(facts, "Server").found, HasSubstr("process 17"));
    EXPECT_THAT(about(facts, "Server").advice, HasSubstr("--data /srv/other"));
}

TEST(Doctor, ReportsTheSignIn) {
    auto facts = healthy();
    EXPECT_THAT(about(facts, "Sign-in").found, HasSubstr("not signed in"));
    facts.signed_in_to = "https://plimsoll.example";
    EXPECT_EQ(about(facts, "Sign-in").grade, Grade::good);
    facts.sign_in_problem = Error{Errc::unauthenticated, "No.", ""};
    EXPECT_THAT(about(facts, "Sign-in").advice, HasSubstr("plimsoll login"));
    facts.sign_in_problem = Error{Errc::unavailable, "No.", ""};
    EXPECT_THAT(about(facts, "Sign-in").advice, HasSubstr("plimsoll use"));
}

TEST(Doctor, AddsTheFindingsOfKinds) {
    auto facts = healthy();
    facts.of_kinds = {{Grade::remark, "LLM", "It does not respond.", "Start it."}};
    EXPECT_EQ(about(facts, "LLM").advice, "Start it.");
}

TEST(Doctor, WarnsOfLowDiskSpaceAndAPortInUse) {
    auto facts = healthy();
    facts.memory_free_bytes = 1'000'000'000;
    facts.disk_free_bytes = 10;
    facts.address_problem = Error{Errc::unavailable, "Address already in use.", ""};
    EXPECT_EQ(about(facts, "Memory").grade, Grade::bad);
    EXPECT_EQ(about(facts, "Disk").grade, Grade::bad);
    EXPECT_EQ(about(facts, "Port").grade, Grade::remark);
    facts.memory_free_bytes.reset();
    EXPECT_EQ(about(facts, "Memory").grade, Grade::remark);
}

}  // namespace
}  // namespace plimsoll::cli
