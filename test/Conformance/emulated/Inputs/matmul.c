// Calls compiled code that uses tiles twice, because the second call uses what
// the first one detected. With INSTRUCTIONS, tests the emulated instructions
// against their documentation instead.

#include "heap.h"
#include <immintrin.h>

#ifdef INSTRUCTIONS
static const struct {
  uint8_t palette, start, none[14];
  uint16_t rowBytes[16];
  uint8_t rows[16];
} sizes = {1, 0, {0}, {36, 28, 36}, {5, 5, 7}};
// The matrices have four rows of bytes more than the tiles; these must not
// change.
static uint8_t a[9][64], b[9][64];
static int32_t sums[9][16], wanted[9][16];

static int takeByte(uint8_t byte, int hasSign) {
  return hasSign ? (int8_t)byte : byte;
}

static const char *compare(int hasSignsA, int hasSignsB) {
  uint32_t state = 1;
  for (int row = 0; row < 9; ++row)
    for (int i = 0; i < 64; ++i) {
      a[row][i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
      b[row][i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
      sums[row][i / 4] = wanted[row][i / 4] = (int32_t)state;
    }
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 9; ++column)
      for (int i = 0; i < 28; ++i)
        wanted[row][column] = (int32_t)(
            (uint32_t)wanted[row][column] +
            (uint32_t)(takeByte(a[row][i], hasSignsA) *
                       takeByte(b[i / 4][4 * column + i % 4], hasSignsB)));
  _tile_loadconfig(&sizes);
  _tile_loadd(0, sums, sizeof sums[0]);
  _tile_loadd(1, a, sizeof a[0]);
  _tile_loadd(2, b, sizeof b[0]);
  if (hasSignsA && hasSignsB)
    _tile_dpbssd(0, 1, 2);
  else if (hasSignsA)
    _tile_dpbsud(0, 1, 2);
  else if (hasSignsB)
    _tile_dpbusd(0, 1, 2);
  else
    _tile_dpbuud(0, 1, 2);
  _tile_stored(0, sums, sizeof sums[0]);
  _tile_zero(0);
  _tile_stored(0, &sums[0][10], sizeof sums[0]);
  _tile_release();
  for (int row = 0; row < 9; ++row)
    for (int column = 0; column < 16; ++column) {
      int isZero = row < 6 && column + 16 * row >= 10 &&
                   column + 16 * row < 10 + 16 * 4 + 9 &&
                   (column + 16 * row - 10) % 16 < 9;
      if (sums[row][column] != (isZero ? 0 : wanted[row][column]))
        return "wrong\n";
    }
  return "right\n";
}

int run(void) {
  for (int signs = 0; signs < 4; ++signs)
    print(compare(signs & 1, signs >> 1));
  return 0;
}
#else
int run(void) {
  static uint8_t a[16][64], b[64][16];
  static int32_t c[16][16];
  int64_t sizesA[] = {16, 64}, sizesB[] = {64, 16}, sizesC[] = {16, 16};
  a[3][17] = 200;
  b[17][5] = (uint8_t)-100;
  qf_tensor inputs[] = {{a, sizesA, 2, QF_UINT8}, {b, sizesB, 2, QF_INT8}};
  qf_tensor output = {c, sizesC, 2, QF_INT32};
  for (int i = 0; i < 2; ++i) {
    char error[200];
    c[3][5] = 0;
    print(matmul(inputs, &output, error, sizeof error) ? error
          : c[3][5] == -20000 && !c[2][5]              ? "right"
                                                       : "wrong");
    print("\n");
  }
  return 0;
}
#endif
