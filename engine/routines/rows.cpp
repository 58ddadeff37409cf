#include "engine/routines/rows.hpp"

namespace plimsoll::operations {

namespace {

std::string name_of(Function function) {
    switch (function) {
        case Function::exp:
            return "vector_exp";
        case Function::erf:
            return "vector_erf";
        case Function::tanh:
            return "vector_tanh";
        case Function::gelu:
            return "vector_gelu";
    }
    return {};
}

std::string options_of(Reduction reduction) {
    switch (reduction) {
        case Reduction::sum:
            return "-DREDUCE=sum_of -DPAIR=PLUS -DNEUTRAL=0.0f";
        case Reduction::largest:
            return "-DREDUCE=largest_of -DPAIR=max -DNEUTRAL=-INFINITY";
        case Reduction::smallest:
            return "-DREDUCE=smallest_of -DPAIR=min -DNEUTRAL=INFINITY";
    }
    return {};
}

// Builds the kernel and runs it over the rows of `shape`, which are its last two arguments.
template <class... Arguments>
Result<void> over_rows(opencl::Programs& programs, Flavour flavour, const std::string& name,
                       const std::string& options, Shape shape, const Arguments&... arguments) {
    const auto kernel = row_kernel(programs, flavour, name, options);
    if (!kernel) return fail(kernel.error());
    return opencl::invoke(programs.device(), **kernel, row_range(flavour, shape.rows), arguments...,
                          shape.rows, shape.columns);
}

}  // namespace

Result<void> apply(opencl::Programs& programs, Flavour flavour, Function function,
                   const opencl::Buffer& in, const opencl::Buffer& out, Shape shape) {
    return over_rows(programs, flavour, "unary", "-DFUNCTION=" + name_of(function), shape, in, out);
}

Result<void> softmax(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                     const opencl::Buffer& out, Shape shape) {
    return over_rows(programs, flavour, "softmax", {}, shape, in, out);
}

Result<void> layer_norm(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                        const opencl::Buffer* residual, const Norm& norm, const opencl::Buffer& out,
                        Shape shape) {
    return over_rows(
        programs, flavour, "layer_norm", residual == nullptr ? "-DRESIDUAL=0" : "-DRESIDUAL=1",
        shape, in, residual == nullptr ? in : *residual, out, norm.gain, norm.shift, norm.epsilon);
}

Result<void> reduce(opencl::Programs& programs, Flavour flavour, Reduction reduction,
                    const opencl::Buffer& in, const opencl::Buffer& out, Shape shape) {
    return over_rows(programs, flavour, "reduce", options_of(reduction), shape, in, out);
}

Result<void> top_k(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                   std::uint32_t k, const opencl::Buffer& values, const opencl::Buffer& columns,
                   Shape shape) {
    if (k == 0 || k > shape.columns || shape.columns > 1U << 24) {
        return fail(Errc::invalid_input,
                    "The k of top k is at least 1 and at most the columns, which are at most 2^24.",
                    std::to_string(k));
    }
    return over_rows(programs, flavour, "top_k", {}, shape, in, values, columns, k);
}

Result<void> embed(opencl::Programs& programs, Flavour flavour, const Tokens& tokens,
                   const EmbeddingTables& tables, const Norm& norm, const opencl::Buffer& out,
                   Shape shape) {
    return over_rows(programs, flavour, "embedding", {}, shape, tokens.words, tokens.positions,
                     tokens.segments, tables.words.vectors, tables.positions.vectors,
                     tables.segments.vectors, tables.words.rows, tables.positions.rows,
                     tables.segments.rows, norm.gain, norm.shift, norm.epsilon, out);
}

}  // namespace plimsoll::operations
