#include "server/queue/job_log.hpp"

#include <iomanip>
#include <sstream>

namespace plimsoll::queue {
namespace {

constexpr std::size_t kLongest = 600;  // characters

std::string started(const AttemptNews& news) {
    const auto number = "Attempt " + std::to_string(news.attempt) + " started";
    if (news.node.empty()) return number + ".";
    return number + " on " + news.node + ", device " + news.device + " (" + news.device_class +
           ").";
}

std::string done(const AttemptNews& news) {
    std::ostringstream text;
    text << "Done";
    if (news.seconds) {
        text << " in " << std::fixed << std::setprecision(*news.seconds < 10 ? 3 : 1)
             << *news.seconds << " s";
    }
    text << ": " << news.items_ok << (news.items_ok == 1 ? " item" : " items") << " succeeded";
    if (news.items_failed > 0) text << ", " << news.items_failed << " failed";
    text << ".";
    return text.str();
}

std::string ended(const AttemptNews& news) {
    if (news.outcome == "done") return done(news);
    if (news.outcome == "retry") return "Failed, and returned to the queue: " + news.text;
    if (news.outcome == "worker_died" || news.outcome == "worker_lost")
        return "Lost, and returned to the queue: " + news.text;
    return "Failed, and will not be retried: " + news.text;
}

}  // namespace

JobLogLine::Source source_of(const AttemptNews& news) {
    if (news.what == "said") return JobLogLine::Source::worker;
    return news.what == "process_ended" ? JobLogLine::Source::supervisor
                                        : JobLogLine::Source::queue;
}

std::string text_of(const AttemptNews& news) {
    if (news.what == "started") return jobs::to_log_text(started(news), kLongest);
    if (news.what == "ended") return jobs::to_log_text(ended(news), kLongest);
    const auto prefix = news.what == "process_ended" ? "The worker process ended: " : "";
    return jobs::to_log_text(prefix + news.text, kLongest);
}

}  // namespace plimsoll::queue
