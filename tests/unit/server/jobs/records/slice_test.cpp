#include "server/jobs/records/slice.hpp"

#include "engine/text/record_block.hpp"
#include "server/base/gzip.hpp"

#include <gtest/gtest.h>

namespace plimsoll::jobs {
namespace {

std::string chunk_of(int records) {
    text::RecordBlockWriter writer(1000);
    for (int i = 0; i < records; ++i) {
        text::Record record;
        record.line = static_cast<std::uint64_t>(5 + i * (i % 3 == 0 ? 1 : 2));
        if (i % 4 == 0) record.custom_id = "id " + std::to_string(i);
        if (i % 7 == 3) {
            record.error = text::RecordError{"bad_record", "Record " + std::to_string(i)};
        } else {
            record.text = "text\nof " + std::to_string(i);
        }
        writer.add(record);
    }
    return gzip(writer.take());
}

// Everything that a task can tell of its records.
std::vector<std::string> told(const std::string& chunk) {
    const auto block = gunzip(chunk, 1 << 20).value();
    auto reader = text::RecordBlockReader::open(block).value();
    std::vector<std::string> all;
    for (auto record = reader.next().value(); record; record = reader.next().value()) {
        all.push_back(std::to_string(record->index) + " " + std::to_string(record->line) + " " +
                      std::string(record->custom_id.value_or("-")) + " " +
                      std::string(record->text) + std::string(record->error_code) +
                      std::string(record->error_message));
    }
    EXPECT_EQ(reader.count(), all.size());
    return all;
}

TEST(Slice, SlicesTogetherAreTheChunk) {
    for (const int records : {1, 2, 9, 100}) {
        const auto chunk = chunk_of(records);
        for (const int count : {1, 2, 3, 7, records, records + 3}) {
            std::vector<std::string> all;
            for (int index = 0; index < count; ++index) {
                const auto slice = told(cut_slice(chunk, {index, count}).value());
                // As enqueue_dataset counts them.
                EXPECT_EQ(slice.size(), static_cast<std::size_t>(records * (index + 1) / count -
                                                                 records * index / count));
                all.insert(all.end(), slice.begin(), slice.end());
            }
            EXPECT_EQ(all, told(chunk));
        }
    }
}

TEST(Slice, SeveralAreCutAtOnce) {
    const auto chunk = chunk_of(100);
    for (const std::vector<int>& indices : {std::vector{0, 1, 2, 3, 4, 5, 6}, {2}, {0, 3, 6}, {}}) {
        const auto slices = cut_slices(chunk, indices, 7).value();
        ASSERT_EQ(slices.size(), indices.size());
        for (std::size_t i = 0; i < indices.size(); ++i) {
            EXPECT_EQ(told(slices[i]), told(cut_slice(chunk, {indices[i], 7}).value()));
        }
    }
}

TEST(Slice, DamagedChunksAreErrors) {
    EXPECT_EQ(cut_slices("noise", std::vector{0}, 2).error().code, Errc::corrupt);
    EXPECT_EQ(cut_slice("noise", {0, 2}).error().code, Errc::corrupt);
    EXPECT_EQ(cut_slice(gzip("noise"), {0, 2}).error().code, Errc::corrupt);
}

}  // namespace
}  // namespace plimsoll::jobs
