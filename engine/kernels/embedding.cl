// Each token's row: its word's, its position's and its segment's vectors added and normalised. A number
// beyond its table takes the table's last row: nothing is read outside.
__kernel void embedding(__global const uint* words, __global const uint* positions, __global const uint* segments,
                        __global const float* word_table, __global const float* position_table,
                        __global const float* segment_table, uint word_rows, uint position_rows,
                        uint segment_rows, __global const float* gain, __global const float* shift,
                        float epsilon, __global float* out, uint rows, uint columns) {
    LANES_OF_ROW
    const size_t row = ROW;
    if (row >= rows) return;
    word_table += (size_t)min(words[row], word_rows - 1) * columns;
    position_table += (size_t)min(positions[row], position_rows - 1) * columns;
    segment_table += (size_t)min(segments[row], segment_rows - 1) * columns;
    out += row * columns;
    FOR_COLUMNS(i, columns, {
        const floats value = load_columns(word_table, i, columns, 0.0f) +
                             load_columns(position_table, i, columns, 0.0f) +
                             load_columns(segment_table, i, columns, 0.0f);
        store_columns(value, out, i, columns);
    })
    normalise_row(out, out, gain, shift, epsilon, columns JOIN_LANES);
}
