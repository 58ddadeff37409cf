#pragma once

#include "server/base/id.hpp"
#include "server/http/endpoints/results/result_parts.hpp"
#include "server/http/messages/limits.hpp"

#include <algorithm>
#include <list>
#include <string>
#include <string_view>

namespace plimsoll::http::endpoints {

// LRU cache of the part sizes of recent downloads, so that an interrupted download resumes without
// converting rows twice. Single-threaded.
class ResultSizes {
  public:
    std::shared_ptr<PartSizes> of(JobId job, std::string_view format) {
        const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) {
            return entry.job == job && entry.format == format;
        });
        if (known != entries_.end()) {
            entries_.splice(entries_.begin(), entries_, known);
        } else {
            entries_.push_front({job, std::string(format), std::make_shared<PartSizes>()});
            if (entries_.size() > limits::kMeasuredResults) entries_.pop_back();
        }
        return entries_.front().sizes;
    }

  private:
    struct Entry {
        JobId job;
        std::string format;
        std::shared_ptr<PartSizes> sizes;
    };
    std::list<Entry> entries_;  // most recently used first
};

}  // namespace plimsoll::http::endpoints
