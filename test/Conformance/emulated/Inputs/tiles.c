// Emulates AMX, which the package of Bochs was built without. Bochs calls the
// error handler in this file for instructions that it does not know; those on
// tiles of bytes are executed according to Intel's manual.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { tileNumber = 8, mostRows = 16, mostBytes = 64 };
static struct tile {
  unsigned rows, bytes;
  union {
    uint8_t bytes[mostRows][mostBytes];
    uint32_t words[mostRows][mostBytes / 4];
  } data;
} tiles[tileNumber];
static int isConfigured;

static void *bochs;
static char *memory;

// Sets the host address of the machine's memory, which starts at address 0.
void emulateTiles(const char *path, char *base) {
  bochs = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
  memory = base;
}

static uint64_t getPlace(void) {
  return ((uint64_t(*)(unsigned))dlsym(bochs, "cpu_get_pc"))(0);
}
static void setPlace(uint64_t place) {
  ((void (*)(unsigned, uint64_t))dlsym(bochs, "cpu_set_pc"))(0, place);
}
static uint64_t getRegister(unsigned number) {
  return ((uint64_t(*)(unsigned, unsigned))dlsym(bochs, "cpu_get_reg64"))(
      0, number);
}

// The operands that the bytes after the opcode encode.
struct operands {
  int isMemory;
  unsigned reg, rm;
  // The address without the index register, which holds the stride of tile
  // rows.
  uint64_t address, stride;
  unsigned length;
};

static struct operands decode(const uint8_t *code, uint64_t next, uint8_t vex) {
  struct operands result = {0};
  unsigned mod = code[0] >> 6, base = code[0] & 7, scale = 0;
  int noX = vex >> 6 & 1, noB = vex >> 5 & 1, hasBase = 1;
  result.reg = code[0] >> 3 & 7;
  result.rm = base;
  result.length = 1;
  result.isMemory = mod != 3;
  if (!result.isMemory)
    return result;
  unsigned index = 4;
  if (base == 4) {
    scale = code[1] >> 6;
    index = (code[1] >> 3 & 7) + (noX ? 0 : 8);
    base = code[1] & 7;
    result.length = 2;
    hasBase = mod || base != 5;
  } else if (mod == 0 && base == 5) {
    int32_t offset;
    memcpy(&offset, code + 1, 4);
    result.length = 5;
    result.address = next + 5 + offset;
    return result;
  }
  if (hasBase)
    result.address = getRegister(base + (noB ? 0 : 8));
  if (index != 4)
    result.stride = getRegister(index) << scale;
  if (mod == 1) {
    result.address += (int8_t)code[result.length];
    result.length += 1;
  } else if (mod == 2 || !hasBase) {
    int32_t offset;
    memcpy(&offset, code + result.length, 4);
    result.address += offset;
    result.length += 4;
  }
  return result;
}

// Loads a tile configuration. Returns whether it is valid.
static int configure(const uint8_t *sizes) {
  memset(tiles, 0, sizeof tiles);
  isConfigured = sizes[0] == 1;
  if (sizes[0] > 1 || sizes[1])
    return 0;
  for (unsigned i = 0; isConfigured && i < tileNumber; ++i) {
    tiles[i].bytes = sizes[16 + 2 * i] | sizes[17 + 2 * i] << 8;
    tiles[i].rows = sizes[48 + i];
    if (tiles[i].rows > mostRows || tiles[i].bytes > mostBytes ||
        !tiles[i].rows != !tiles[i].bytes)
      return 0;
  }
  return 1;
}

static int multiply(struct tile *sums, const struct tile *a,
                    const struct tile *b, int hasSignsA, int hasSignsB) {
  if (sums == a || sums == b || a == b || !sums->rows || !a->rows || !b->rows ||
      sums->rows != a->rows || sums->bytes != b->bytes ||
      a->bytes != 4 * b->rows || sums->bytes % 4)
    return 0;
  for (unsigned row = 0; row < sums->rows; ++row)
    for (unsigned column = 0; column < sums->bytes / 4; ++column)
      for (unsigned i = 0; i < a->bytes; ++i) {
        int left = a->data.bytes[row][i];
        int right = b->data.bytes[i / 4][4 * column + i % 4];
        sums->data.words[row][column] +=
            (uint32_t)((hasSignsA ? (int8_t)left : left) *
                       (hasSignsB ? (int8_t)right : right));
      }
  return 1;
}

// Executes an instruction with this opcode and mandatory prefix; `other` is the
// VEX.vvvv operand. Returns 0 for unknown instructions.
static int execute(uint8_t opcode, unsigned prefix, unsigned other,
                   const struct operands *operands) {
  enum { none = 0, p66 = 1, pF3 = 2, pF2 = 3 };
  struct tile *tile = &tiles[operands->reg];
  char *place = memory + operands->address;
  if (opcode == 0x49 && prefix == none && operands->isMemory)
    return configure((const uint8_t *)place);
  if (opcode == 0x49 && prefix == none) {
    memset(tiles, 0, sizeof tiles);
    isConfigured = 0;
    return 1;
  }
  if (!isConfigured)
    return 0;
  if (opcode == 0x5e && !operands->isMemory)
    return multiply(tile, &tiles[operands->rm], &tiles[other],
                    prefix == pF2 || prefix == pF3,
                    prefix == pF2 || prefix == p66);
  if (!tile->rows || other)
    return 0;
  if (opcode == 0x49 && prefix == pF2 && !operands->isMemory) {
    memset(&tile->data, 0, sizeof tile->data);
    return 1;
  }
  if (opcode != 0x4b || !operands->isMemory || prefix == none)
    return 0;
  if (prefix != pF3)
    memset(&tile->data, 0, sizeof tile->data);
  for (unsigned row = 0; row < tile->rows; ++row) {
    if (prefix == pF3)
      memcpy(place, tile->data.bytes[row], tile->bytes);
    else
      memcpy(tile->data.bytes[row], place, tile->bytes);
    place += operands->stride;
  }
  return 1;
}

void _ZN8BX_CPU_C7BxErrorEP15bxInstruction_c(const uint8_t *instruction) {
  enum { lengthByte = 18, vex = 0xc4 };
  uint64_t start = getPlace() - instruction[lengthByte];
  const uint8_t *code = (const uint8_t *)memory + start;
  // Only instructions of opcode map 2 with 128 bits and W0.
  if (memory && code[0] == vex && (code[1] & 0x1f) == 2 && !(code[2] & 0x84)) {
    struct operands operands = decode(code + 4, start + 4, code[1]);
    if (execute(code[3], code[2] & 3, ~code[2] >> 3 & 15, &operands)) {
      setPlace(start + 4 + operands.length);
      return;
    }
  }
  ((void (*)(const uint8_t *))dlsym(
      bochs, "_ZN8BX_CPU_C7BxErrorEP15bxInstruction_c"))(instruction);
}
