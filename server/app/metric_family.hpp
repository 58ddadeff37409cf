#pragma once

#include <string>
#include <vector>

#include <prometheus/metric_family.h>

namespace plimsoll::app {

// A metric whose values are read at scrape time.
class Reading {
  public:
    Reading(prometheus::MetricType type, std::string name, std::string help) {
        family_.type = type;
        family_.name = std::move(name);
        family_.help = std::move(help);
    }

    Reading&& with(double value, std::vector<prometheus::ClientMetric::Label> labels = {}) && {
        add(value, std::move(labels));
        return std::move(*this);
    }
    void add(double value, std::vector<prometheus::ClientMetric::Label> labels = {}) {
        prometheus::ClientMetric metric;
        metric.label = std::move(labels);
        metric.gauge.value = value;
        metric.counter.value = value;
        family_.metric.push_back(std::move(metric));
    }
    prometheus::MetricFamily&& take() && { return std::move(family_); }

  private:
    prometheus::MetricFamily family_;
};

inline Reading gauge(std::string name, std::string help) {
    return {prometheus::MetricType::Gauge, std::move(name), std::move(help)};
}
// The name must end in _total.
inline Reading counter(std::string name, std::string help) {
    return {prometheus::MetricType::Counter, std::move(name), std::move(help)};
}

using Families = std::vector<prometheus::MetricFamily>;

}  // namespace plimsoll::app
