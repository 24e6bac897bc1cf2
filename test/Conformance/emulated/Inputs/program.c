// The program that an emulator runs: calls the conversions that
// quant-float-emulated compiled. Reads requests from standard input and writes
// the results to standard output.

#include "quant-float-c/EntryPoint.h"
#include "runtime.h"

typedef int entry(const qf_tensor *, qf_tensor *, char *, size_t);

#define CONVERSION(name, from, scale, zeroPoint, to) entry name;
#include "conversions.inc"
#undef CONVERSION

// Numbers of element types; 0 for an operand that does not exist.
static const struct conversion {
  entry *function;
  int from, scale, zeroPoint, to;
} conversions[] = {
#define CONVERSION(name, from, scale, zeroPoint, to)                            \
  {name, from, scale, zeroPoint, to},
#include "conversions.inc"
};

// The requests that quant-float-emulated writes, each followed by `inputBytes`
// bytes. The answer is the status, `outputBytes` bytes and the guard bytes.
struct request {
  uint32_t conversion, count, inputBytes, outputBytes;
  uint64_t scale, zeroPoint;
};
enum { guard = 64, untouched = 0xee, most = 1 << 23 };

static unsigned char inputs[most];
static unsigned char outputs[sizeof(uint32_t) + most + guard];

int run(void) {
  struct request request;
  while (readAll(&request, sizeof request) == sizeof request) {
    if (request.conversion >= sizeof conversions / sizeof *conversions ||
        request.inputBytes > most || request.outputBytes > most ||
        readAll(inputs, request.inputBytes) != request.inputBytes)
      return 1;
    const struct conversion *one = &conversions[request.conversion];
    int64_t count = request.count;
    qf_tensor operands[3] = {{inputs, &count, 1, one->from}};
    int number = 1;
    if (one->scale)
      operands[number++] = (qf_tensor){&request.scale, 0, 0, one->scale};
    if (one->zeroPoint)
      operands[number++] =
          (qf_tensor){&request.zeroPoint, 0, 0, one->zeroPoint};
    unsigned char *data = outputs + sizeof(uint32_t);
    memset(data, untouched, request.outputBytes + guard);
    qf_tensor result = {data, &count, 1, one->to};
    char error[256];
    uint32_t status =
        (uint32_t)one->function(operands, &result, error, sizeof error);
    if (status)
      memcpy(data, error, sizeof error);
    memcpy(outputs, &status, sizeof status);
    if (!writeAll(outputs, sizeof status + request.outputBytes + guard))
      return 1;
  }
  return 0;
}
