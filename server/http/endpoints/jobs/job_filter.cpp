#include "server/http/endpoints/jobs/job_filter.hpp"

#include "engine/base/json.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"

namespace plimsoll::http::endpoints {

namespace {

std::vector<std::string> words_of(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    std::vector<std::string> words;
    for (auto begin = text.find_first_not_of(kBlank); begin != std::string_view::npos;
         begin = text.find_first_not_of(kBlank, begin)) {
        const auto end = std::min(text.find_first_of(kBlank, begin), text.size());
        words.emplace_back(text.substr(begin, end - begin));
        begin = end;
    }
    return words;
}

// A word that is a job's id means that job.
void filter_by_text(queue::JobFilter& filter, std::string_view text) {
    for (auto& word : words_of(text))
        if (const auto id = parse_public_id("job", word))
            filter.only = JobId{*id};
        else
            filter.words.push_back(std::move(word));
}

void filter_by_submitter(queue::JobFilter& filter, const std::string& submitter) {
    if (const auto id = parse_public_id("user", submitter))
        filter.submitter = UserId{*id};
    else
        filter.submitter_name = submitter;
}

// "node/device", as the contract has checked it.
void filter_by_device(queue::JobFilter& filter, const std::string& device) {
    const auto slash = device.find('/');
    filter.node = device.substr(0, slash);
    filter.device = device.substr(slash + 1);
}

// `get(name)`: the text of a condition, as the contract has checked it, or nullopt.
template <class Get>
queue::JobFilter filter_of(const Get& get) {
    queue::JobFilter filter;
    filter.kind = get("kind").value_or("");
    if (const auto state = get("state")) filter.state = queue::parse_job_state(*state);
    if (const auto label = get("label")) filter_by_label(filter, *label);
    if (const auto submitter = get("submitter")) filter_by_submitter(filter, *submitter);
    if (const auto from = get("from")) filter.created_from = parse_rfc3339(*from).value();
    if (const auto to = get("to")) filter.created_before = parse_rfc3339(*to).value();
    filter.device_class = get("device_class").value_or("");
    if (const auto device = get("device")) filter_by_device(filter, *device);
    if (const auto text = get("text")) filter_by_text(filter, *text);
    return filter;
}

}  // namespace

queue::JobFilter filter_of_query(const Call& call) {
    return filter_of([&](const char* name) { return call.parameters.text(name); });
}

queue::JobFilter filter_of_body(const json& body) {
    const auto get = [&](const char* name) -> std::optional<std::string> {
        if (!body.contains(name)) return std::nullopt;
        return body.at(name).get<std::string>();
    };
    auto filter = filter_of(get);
    if (const auto cursor = get("cursor")) {
        const auto before = parse_public_id("job", *cursor);
        if (!before)
            throw Refused(invalid_member("/filter/cursor", "is not the next_cursor of a page"));
        filter.before = JobId{*before};
    }
    filter.limit = kJobsPerFilter;
    return filter;
}

SelectedJobs named_jobs(const json& ids) {
    SelectedJobs selected;
    for (const auto& id : ids) {
        const auto& text = id.get_ref<const std::string&>();
        if (const auto job = parse_public_id("job", text))
            selected.jobs.push_back(JobId{*job});
        else
            selected.unknown.push_back(text);
    }
    return selected;
}

SelectedJobs matching_jobs(const queue::FoundJobs& found) {
    SelectedJobs selected;
    for (const auto& job : found.jobs) selected.jobs.push_back(job.id);
    selected.next = found.examined_to;
    if (selected.jobs.size() == static_cast<std::size_t>(kJobsPerFilter))
        selected.next = selected.jobs.back();
    return selected;
}

}  // namespace plimsoll::http::endpoints
