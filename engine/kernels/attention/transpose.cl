// Transposes 16 x 16 in four steps: rows i and i + D exchange what lies D apart. Written out, since a loop over
// an array of vectors would keep it in memory.
#define EXCHANGE(D, i)                                                    \
    {                                                                     \
        const float16 x = t[i];                                           \
        const float16 y = t[i + D];                                       \
        t[i] = __builtin_shufflevector(x, y, LOW_##D);                    \
        t[i + D] = __builtin_shufflevector(x, y, HIGH_##D);               \
    }
#define EXCHANGE_8(D, a, b, c, d, e, f, g, h) \
    EXCHANGE(D, a) EXCHANGE(D, b) EXCHANGE(D, c) EXCHANGE(D, d) \
    EXCHANGE(D, e) EXCHANGE(D, f) EXCHANGE(D, g) EXCHANGE(D, h)
#define LOW_8 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define HIGH_8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#define LOW_4 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define HIGH_4 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31
#define LOW_2 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define HIGH_2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define LOW_1 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define HIGH_1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31

inline void transpose(float16* t) {
    EXCHANGE_8(8, 0, 1, 2, 3, 4, 5, 6, 7)
    EXCHANGE_8(4, 0, 1, 2, 3, 8, 9, 10, 11)
    EXCHANGE_8(2, 0, 1, 4, 5, 8, 9, 12, 13)
    EXCHANGE_8(1, 0, 2, 4, 6, 8, 10, 12, 14)
}
