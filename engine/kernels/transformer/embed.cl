// A row for every token: its word's numbers, those of its position and, when TYPES, of the first type of token; then
// normalised. Tables have `columns` numbers a row; the host has checked that all indices exist.
__kernel void embed(__global const uint* ids, __global const uint* positions, __global const float* words,
                    __global const float* places, __global const float* types, __global const float* gain,
                    __global const float* shift, float epsilon, __global float* out, uint rows, uint columns) {
    LANES_OF_ROW
    const size_t row = ROW;
    if (row >= rows) return;
    words += (size_t)ids[row] * columns;
    places += (size_t)positions[row] * columns;
    out += row * columns;
    FOR_COLUMNS(i, columns, {
        floats value = load_columns(words, i, columns, 0.0f);
#if TYPES
        value += load_columns(types, i, columns, 0.0f);
#endif
        store_columns(value + load_columns(places, i, columns, 0.0f), out, i, columns);
    })
    normalise_row(out, out, gain, shift, epsilon, columns JOIN_LANES);
}
