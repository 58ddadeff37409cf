#pragma once

#include "engine/text/record_scanner.hpp"

namespace plimsoll::text {

// JSON lines: one string or object per line.
class JsonLinesScanner final : public RecordScanner {
  public:
    explicit JsonLinesScanner(ReaderLimits limits) : RecordScanner(limits) {}

    Result<void> finish(const RawSink& sink) override;
    const std::vector<std::string>& header() const override { return no_header_; }
    char delimiter() const override { return '\0'; }
    void save(std::string& out) const override;
    bool load(std::string_view& rest) override;

  private:
    Result<void> take(std::string_view bytes, const RawSink& sink) override;
    void end_line(std::string_view part, const RawSink& sink);

    std::vector<std::string> no_header_;
    std::uint64_t line_ = 1;
};

}  // namespace plimsoll::text
