#pragma once

#include "server/queue/report_link_store.hpp"

namespace plimsoll::fakes {

// No report links: they are tested on the real database.
class FakeReportLinks final : public queue::ReportLinkStore {
  public:
    Answer<std::vector<queue::ReportLink>> list(TeamId, std::optional<JobId>,
                                                std::optional<queue::ReportLinkId>, int) override {
        co_return std::vector<queue::ReportLink>{};
    }
    Answer<queue::ReportLink> get(TeamId, queue::ReportLinkId) override { co_return nothing(); }
    Answer<queue::ReportLink> create(Author, queue::NewReportLink) override {
        co_return fail(Errc::unavailable, "The fake makes no links.");
    }
    Answer<void> revoke(Author, queue::ReportLinkId) override {
        co_return fail(Errc::not_found, "The report link was not found.");
    }
    Answer<queue::LinkedReport> open(std::string) override { co_return nothing(); }
    Answer<std::vector<queue::ChunkInfo>> chunks(std::string) override { co_return nothing(); }
    Answer<std::string> chunk(std::string, int) override { co_return nothing(); }

  private:
    static tl::unexpected<Error> nothing() { return fail(Errc::not_found, "No link."); }
};

}  // namespace plimsoll::fakes
