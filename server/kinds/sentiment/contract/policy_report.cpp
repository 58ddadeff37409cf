#include "server/kinds/sentiment/contract/policy_report.hpp"

#include "engine/base/json.hpp"
#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace plimsoll::jobs::sentiment {
namespace {

// The reduction of device use that the Catalyst guide expects of its adaptive policy over 24 hours.
constexpr int kPromisedPercent = 75;

struct Used {
    double seconds = 0;
    std::int64_t texts = 0;
    std::set<Timestamp> hours;

    void add(const UseOfHour& use) {
        seconds += use.seconds;
        texts += use.texts;
        hours.insert(use.start);
    }
    std::optional<double> seconds_per_text() const {
        if (texts == 0) return std::nullopt;
        return seconds / static_cast<double>(texts);
    }
};

// A lane names the model with the start of its hash and, unless it is fp32, its form.
bool is_named(const std::string& lane, const Manifest& model) {
    const auto name = resident_name(model.name, model.hash);
    return lane == name || lane.starts_with(name + ' ');
}

std::string name_of(const std::string& lane) {
    return lane.empty() ? std::string(kVader) : lane.substr(0, lane.find(' '));
}

// How many times faster than fp32 the model is in the form that the lane names, as was proven.
double speedup_of(const std::string& lane, const Manifest& model) {
    const auto exact = resident_name(model.name, model.hash).size();
    if (lane.size() <= exact) return 1;
    const auto* proof = passed_proof(model, lane.substr(exact + 1));
    return proof == nullptr || proof->speedup <= 0 ? 1 : proof->speedup;
}

class Report {
  public:
    Report(std::span<const UseOfHour> use, std::span<const Manifest> models,
           const PolicyReportQuestion& question)
        : models_(models), question_(question) {
        for (const auto& one : use) {
            by_model_[one.model].add(one);
            all_.add(one);
            (one.model.empty() ? on_host_ : on_devices_) += one.seconds;
        }
    }

    json to_json() const {
        const auto end = question_.from + std::chrono::hours(question_.hours);
        const auto memory = mean_memory();
        json report{{"from", to_rfc3339(question_.from)},
                    {"to", to_rfc3339(end)},
                    {"hours", question_.hours},
                    {"texts", all_.texts},
                    {"device_seconds", on_devices_},
                    {"host_seconds", on_host_},
                    {"mean_memory_bytes", memory ? json(*memory) : json(nullptr)},
                    {"promised_percent", kPromisedPercent},
                    {"models", models_json()},
                    {"fixed", fixed(memory)}};
        return report;
    }

  private:
    const Manifest* manifest_of(const std::string& lane) const {
        const auto found = std::ranges::find_if(
            models_, [&](const Manifest& model) { return is_named(lane, model); });
        return found == models_.end() ? nullptr : &*found;
    }

    // None for VADER; unknown if no worker has the model any more.
    std::optional<std::int64_t> bytes_of(const std::string& lane) const {
        if (lane.empty()) return 0;
        const auto* model = manifest_of(lane);
        if (model == nullptr) return std::nullopt;
        return device_bytes(*model);
    }

    // Over all hours, each model counted in those in which it scored.
    std::optional<double> mean_memory() const {
        double sum = 0;
        for (const auto& [lane, used] : by_model_) {
            const auto bytes = bytes_of(lane);
            if (!bytes) return std::nullopt;
            sum += static_cast<double>(*bytes) * static_cast<double>(used.hours.size());
        }
        return sum / question_.hours;
    }

    json models_json() const {
        auto rows = json::array();
        for (const auto& [lane, used] : by_model_) {
            const auto bytes = bytes_of(lane);
            const auto each = used.seconds_per_text();
            rows.push_back({{"model", name_of(lane)},
                            {"resident", lane.empty() ? json(nullptr) : json(lane)},
                            {"texts", used.texts},
                            {"seconds", used.seconds},
                            {"seconds_per_text", each ? json(*each) : json(nullptr)},
                            {"hours", used.hours.size()},
                            {"memory_bytes", bytes ? json(*bytes) : json(nullptr)}});
        }
        return rows;
    }

    struct Cost {
        double seconds_per_text = 0;
        const char* basis = "measured";
    };

    // In fp32: from its own time here, or else from the time of the model with the most texts,
    // scaled by their multiplications. Time in a faster form counts as the time that fp32 would
    // have taken.
    std::optional<Cost> cost_of(const Manifest& fixed) const {
        Used own;
        Used max;
        const Manifest* other = nullptr;
        for (const auto& [lane, used] : by_model_) {
            const auto* model = lane.empty() ? nullptr : manifest_of(lane);
            if (model == nullptr || used.texts == 0) continue;
            const double exact = used.seconds * speedup_of(lane, *model);
            if (is_named(lane, fixed)) {
                own.seconds += exact;
                own.texts += used.texts;
            } else if (used.texts > max.texts) {
                max.seconds = exact;
                max.texts = used.texts;
                other = model;
            }
        }
        if (const auto each = own.seconds_per_text()) return Cost{*each, "measured"};
        if (other == nullptr) return std::nullopt;
        const double ratio = products_per_token(fixed) / products_per_token(*other);
        return Cost{*max.seconds_per_text() * ratio, "scaled"};
    }

    json fixed(std::optional<double> memory) const {
        const auto model = std::ranges::find(models_, question_.against, &Manifest::name);
        if (model == models_.end()) return nullptr;
        const auto cost = cost_of(*model);
        const auto saved = [](double used, double fixed) {
            return fixed > 0 ? json(100 * (1 - used / fixed)) : json(nullptr);
        };
        const auto bytes = static_cast<double>(device_bytes(*model));
        json row{{"model", model->name},
                 {"seconds_per_text", nullptr},
                 {"basis", nullptr},
                 {"device_seconds", nullptr},
                 {"saved_percent", nullptr},
                 {"memory_bytes", bytes},
                 {"saved_memory_percent", memory ? saved(*memory, bytes) : json(nullptr)}};
        if (!cost) return row;
        const double seconds = cost->seconds_per_text * static_cast<double>(all_.texts);
        row["seconds_per_text"] = cost->seconds_per_text;
        row["basis"] = cost->basis;
        row["device_seconds"] = seconds;
        row["saved_percent"] = saved(on_devices_, seconds);
        return row;
    }

    std::span<const Manifest> models_;
    const PolicyReportQuestion& question_;
    std::map<std::string, Used> by_model_;  // by what lanes name; vader first
    Used all_;
    double on_devices_ = 0;  // seconds
    double on_host_ = 0;
};

}  // namespace

json policy_report(std::span<const UseOfHour> use, std::span<const Manifest> models,
                   const PolicyReportQuestion& question) {
    return Report(use, models, question).to_json();
}

}  // namespace plimsoll::jobs::sentiment
