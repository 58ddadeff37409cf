#pragma once

#include "engine/base/result.hpp"
#include "engine/model_files/mapped_file.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::model_files {

enum class NumberType { float64, float32, float16, bfloat16, other };

std::size_t bytes_of(NumberType type);  // of a number; 0 for `other`

// Numbers in a mapped file, little-endian, row-major without gaps, at any alignment.
struct Tensor {
    NumberType type = NumberType::other;
    std::vector<std::uint64_t> shape;
    std::span<const std::byte> bytes;

    std::uint64_t count() const;  // of numbers
};

// The tensors of a file, or of the parts of one, by name. The format's reader has checked that
// every tensor is within its file and has the size of its shape.
struct TensorFile {
    std::vector<MappedFile> parts;
    std::map<std::string, Tensor, std::less<>> tensors;
};

// `tensor` as fp32. Errc::corrupt, with the tensor's name, if it holds a NaN or an infinity, or
// numbers of another type.
Result<void> to_floats(std::string_view name, const Tensor& tensor, std::span<float> to);

// The number of elements of `shape`; nothing if it exceeds 2^62.
Result<std::uint64_t> numbers_of(std::span<const std::uint64_t> shape);

// "768 x 3072".
std::string to_string(std::span<const std::uint64_t> shape);

}  // namespace plimsoll::model_files
