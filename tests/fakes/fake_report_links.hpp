#pragma once

#include "server/teams/report_link_store.hpp"

namespace plimsoll::fakes {

// No report links: they are tested on the real database.
class FakeReportLinks final : public teams::ReportLinkStore {
  public:
    Answer<std::vector<teams::ReportLink>> list(TeamId, std::optional<JobId>,
                                                std::optional<teams::ReportLinkId>, int) override {
        co_return std::vector<teams::ReportLink>{};
    }
    Answer<teams::ReportLink> create(Author, teams::NewReportLink) override {
        co_return fail(Errc::unavailable, "The fake makes no links.");
    }
    Answer<void> revoke(Author, teams::ReportLinkId) override {
        co_return fail(Errc::not_found, "The report link was not found.");
    }
    Answer<teams::LinkedReport> open(std::string) override { co_return nothing(); }
    Answer<std::vector<queue::ChunkInfo>> chunks(std::string) override { co_return nothing(); }
    Answer<std::string> chunk(std::string, int) override { co_return nothing(); }

  private:
    static tl::unexpected<Error> nothing() { return fail(Errc::not_found, "No link."); }
};

}  // namespace plimsoll::fakes
