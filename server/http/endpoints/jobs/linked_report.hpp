#pragma once

#include "server/http/access/failure_limit.hpp"
#include "server/http/api/handler.hpp"
#include "server/queue/report_link_store.hpp"

#include <string>

namespace plimsoll::http::endpoints {

// Opens the report whose link a call shows in X-Report-Link. Slows down guessing.
class LinkedReports {
  public:
    struct Opened {
        std::string hash;
        queue::LinkedReport report;
    };

    explicit LinkedReports(queue::ReportLinkStore& store) : store_(store) {}

    // 404: the link opens nothing; 429: the address tried too many.
    boost::asio::awaitable<Outcome<Opened>> open(const Call& call);

  private:
    queue::ReportLinkStore& store_;
    FailureLimit limit_{limits::kFailedCredentials, limits::kFailureWindow, "failed-links"};
};

}  // namespace plimsoll::http::endpoints
