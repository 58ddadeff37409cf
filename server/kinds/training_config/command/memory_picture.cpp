#include "server/kinds/training_config/command/memory_picture.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;
using drawing::Anchor;
using drawing::Point;
using tr::MemoryPart;

constexpr double kWidth = 960, kHeight = 620;
constexpr double kLeft = 70, kRight = 24, kChart = 210;
constexpr double kTop[] = {86, 350};  // of both charts
constexpr std::size_t kColumns = 800;
constexpr double kGiB = 1 << 30;
constexpr drawing::Colour kInk = 0x111111, kQuiet = 0x4b5563, kGrid = 0xd1d5db, kParting = 0xb91c1c;

struct Part {
    MemoryPart part;
    std::string_view name;
    drawing::Colour colour;
};
// From the ground up.
constexpr Part kParts[] = {{MemoryPart::state, "weights, optimizer's state", 0x1d4ed8},
                           {MemoryPart::gradients, "gradients", 0x0f766e},
                           {MemoryPart::activations, "kept for backward", 0xf59e0b},
                           {MemoryPart::temporary, "temporary", 0x9ca3af}};

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / kGiB; }

double total(const tr::PartBytes& parts) {
    double sum = 0;
    for (const auto bytes : parts) sum += gib(bytes);
    return sum;
}

// A round number, so that four to ten of them reach `highest`.
double gap_of(double highest) {
    const double rough = std::max(highest, 1e-3) / 4;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {5.0, 2.0})
        if (power * factor <= rough) return power * factor;
    return power;
}

class Painter {
  public:
    Painter(const tr::RunMemory& recorded, const tr::RunMemory& predicted)
        : runs_{&recorded, &predicted} {
        for (const auto* run : runs_) {
            count_ = std::max(count_, run->step.size());
            for (const auto& moment : run->step) highest_ = std::max(highest_, total(moment));
        }
    }

    drawing::Picture paint(const std::optional<tr::Parting>& parting) {
        text(kLeft, 30, out_.title, kInk, Anchor::start, 17);
        legend();
        chart(0, "recorded");
        chart(1, "predicted");
        if (parting) {
            mark(0, parting->at_recorded, parting->recorded);
            mark(1, parting->at_predicted, parting->predicted);
        }
        text(kWidth - kRight, kHeight - 12, "allocations of 1 MiB or more since the step began",
             kQuiet, Anchor::end);
        return std::move(out_);
    }

  private:
    double x(std::size_t taken) const {
        return kLeft + static_cast<double>(taken) * (kWidth - kLeft - kRight) /
                           static_cast<double>(std::max<std::size_t>(count_, 1));
    }
    double y(int run, double bytes) const {
        return kTop[run] + kChart * (1 - std::max(bytes, 0.0) / std::max(highest_ * 1.05, 1e-9));
    }

    void text(double at, double line, std::string text, drawing::Colour colour,
              Anchor anchor = Anchor::start, double size = 12) {
        out_.marks.emplace_back(
            drawing::TextMark{{at, line}, std::move(text), colour, size, size > 12, anchor});
    }
    void line(Point from, Point to, drawing::Colour colour, double dash = 0) {
        out_.marks.emplace_back(drawing::LineMark{{from, to}, colour, 1, dash, dash});
    }

    void legend() {
        double at = kLeft;
        for (const auto& part : kParts) {
            out_.marks.emplace_back(drawing::BoxMark{at, 45, 12, 12, part.colour});
            text(at + 18, 55, std::string(part.name), kQuiet);
            at += 50 + 6.5 * static_cast<double>(part.name.size());
        }
    }

    void chart(int number, std::string_view name) {
        const auto& run = *runs_[static_cast<std::size_t>(number)];
        const auto label = fmt::format("{}: {:.2f} GiB at most", name, gib(run.peak_allocated));
        text(kLeft, kTop[number] - 8, label, kInk, Anchor::start, 13);
        const double gap = gap_of(highest_);
        for (int i = 0; i * gap <= highest_ * 1.05; ++i) {
            line({kLeft, y(number, i * gap)}, {kWidth - kRight, y(number, i * gap)}, kGrid);
            text(kLeft - 8, y(number, i * gap) + 4, fmt::format("{:g} GiB", i * gap), kQuiet,
                 Anchor::end);
        }
        const auto moments = tr::thinned(run.step, count_, kColumns);
        std::vector<double> ground(moments.size());
        for (const auto& part : kParts) {
            drawing::AreaMark area{{}, part.colour};
            std::vector<Point> below;
            for (std::size_t i = 0; i < moments.size(); ++i) {
                const double from = x(moments[i].from);
                const double to = x(i + 1 < moments.size() ? moments[i + 1].from : run.step.size());
                const double under = y(number, ground[i]);
                ground[i] += gib(moments[i].held[static_cast<std::size_t>(part.part)]);
                const double over = y(number, ground[i]);
                area.points.insert(area.points.end(), {{from, over}, {to, over}});
                below.insert(below.end(), {{from, under}, {to, under}});
            }
            area.points.insert(area.points.end(), below.rbegin(), below.rend());
            out_.marks.emplace_back(std::move(area));
        }
    }

    void mark(int number, std::size_t at, const std::optional<tr::Allocation>& one) {
        const double place = x(at);
        line({place, kTop[number]}, {place, kTop[number] + kChart}, kParting, 4);
        const auto what =
            one ? fmt::format("{:.2f} GiB, {}", gib(one->bytes), one->where) : "nothing such";
        const bool left = place < kWidth / 2;
        text(place + (left ? 6 : -6), kTop[number] + 14, "They part here: " + what, kParting,
             left ? Anchor::start : Anchor::end);
    }

    const tr::RunMemory* runs_[2];
    drawing::Picture out_{kWidth, kHeight, "Memory of a training step, recorded and predicted", {}};
    std::size_t count_ = 0;
    double highest_ = 0;  // GiB
};

}  // namespace

drawing::Picture memory_picture(const tr::RunMemory& recorded, const tr::RunMemory& predicted,
                                const std::optional<tr::Parting>& parting) {
    return Painter(recorded, predicted).paint(parting);
}

}  // namespace plimsoll::jobs::training_config
