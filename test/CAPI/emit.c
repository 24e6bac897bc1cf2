// Every kind of output of the compiler, to memory and to files. The linked
// library is run.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/emit -ldl
// RUN: cd %t && %t/emit > %t/out
// RUN: FileCheck %s < %t/out
// RUN: FileCheck --check-prefix=HEADER %s < %t/cast.h
#include "Inputs/harness.h"
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

static QuantFloatModel model;

/* Finds the first line that identifies the kind of output. */
static void emit(const char *name, int32_t kind, const char *word,
                 const QuantFloatCompileOptions *options) {
  QuantFloatBuffer buffer;
  MUST(quantFloatModelEmit(model, kind, options, "cast", &buffer, &lastError));
  const char *data = quantFloatBufferGetData(buffer);
  size_t size = quantFloatBufferGetSize(buffer);
  REQUIRE(size > 0 && data[size] == 0);
  printf("%s: %s\n", name,
         memmem(data, size, word, strlen(word)) ? word : "something else");
  MUST(quantFloatBufferDestroy(buffer));
}

static void refuse(const char *name, int32_t kind,
                   const QuantFloatCompileOptions *options) {
  QuantFloatBuffer buffer;
  QuantFloatError error;
  QuantFloatStatus status =
      quantFloatModelEmit(model, kind, options, NULL, &buffer, &error);
  REQUIRE(status && !buffer.id);
  printf("%s: %s: %s\n", name, quantFloatStatusGetName(status),
         quantFloatErrorGetMessage(error));
  MUST(quantFloatErrorDestroy(error));
}

static void refuseFile(const char *path) {
  QuantFloatError error;
  QuantFloatStatus status = quantFloatModelEmitToFile(
      model, QUANT_FLOAT_EMIT_OBJECT, NULL, path, &error);
  REQUIRE(status && access(path, F_OK));
  printf("%s: %s\n", quantFloatStatusGetName(status),
         quantFloatErrorGetMessage(error));
  MUST(quantFloatErrorDestroy(error));
}

static void runLibrary(void) {
  MUST(quantFloatModelEmitToFile(model, QUANT_FLOAT_EMIT_SHARED, NULL,
                                 "cast.so", &lastError));
  void *library = dlopen("./cast.so", RTLD_NOW);
  REQUIRE(library);
  int (*cast)(const qf_tensor *, qf_tensor *, char *, size_t);
  *(void **)&cast = dlsym(library, "cast");
  REQUIRE(cast);
  float x[3] = {1, -0.5f, 1e9f};
  uint8_t y[3];
  int64_t sizes[1] = {3};
  qf_tensor input = {x, sizes, 1, QF_FLOAT32};
  qf_tensor output = {y, sizes, 1, QF_FLOAT8E4M3FN};
  REQUIRE(cast(&input, &output, NULL, 0) == QF_OK);
  printf("library: %02x %02x %02x\n", y[0], y[1], y[2]);
  dlclose(library);
}

int main(void) {
  QuantFloatSession session;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  model = parse(session, castText);
  emit("mlir", QUANT_FLOAT_EMIT_MLIR, "quant_float.cast", NULL);
  emit("llvm dialect", QUANT_FLOAT_EMIT_LLVM_DIALECT, "llvm.func @cast(", NULL);
  emit("llvm ir", QUANT_FLOAT_EMIT_LLVM_IR, "define ", NULL);
  emit("assembly", QUANT_FLOAT_EMIT_ASSEMBLY, ".globl", NULL);
  emit("object", QUANT_FLOAT_EMIT_OBJECT, "ELF", NULL);
  emit("header", QUANT_FLOAT_EMIT_HEADER, "int cast(", NULL);
  QuantFloatCompileOptions options;
  quantFloatCompileOptionsInit(&options, sizeof options);
  options.triple = "aarch64-linux-gnu";
  options.optimizationLevel = 3;
  emit("aarch64", QUANT_FLOAT_EMIT_ASSEMBLY, "ldr", &options);
  quantFloatCompileOptionsInit(&options, sizeof options);
  options.target = QUANT_FLOAT_TARGET_NVVM;
  refuse("no chip", QUANT_FLOAT_EMIT_PTX, &options);
  options.chip = "sm_1";
  refuse("unknown chip", QUANT_FLOAT_EMIT_PTX, &options);
  options.chip = "sm_90";
  emit("ptx", QUANT_FLOAT_EMIT_PTX, ".target sm_90", &options);
  MUST(quantFloatModelEmitToFile(model, QUANT_FLOAT_EMIT_PTX, &options,
                                 "cast.ptx", &lastError));
  runLibrary();
  refuseFile("-");
  REQUIRE(!mkdir("beside.h", 0700));
  refuseFile("beside.o");
  MUST(quantFloatModelEmitToFile(model, QUANT_FLOAT_EMIT_OBJECT, NULL,
                                 "suffixless", &lastError));
  MUST(quantFloatModelDestroy(model));
  MUST(quantFloatSessionDestroy(session));
  return 0;
}

// CHECK: mlir: quant_float.cast
// CHECK-NEXT: llvm dialect: llvm.func @cast(
// CHECK-NEXT: llvm ir: define
// CHECK-NEXT: assembly: .globl
// CHECK-NEXT: object: ELF
// CHECK-NEXT: header: int cast(
// CHECK-NEXT: aarch64: ldr
// CHECK-NEXT: no chip: model: {{.*}}chip
// CHECK-NEXT: unknown chip: model: {{.*}}'sm_1'
// CHECK-NEXT: ptx: .target sm_90
// CHECK-NEXT: library: 38 b0 7e
// CHECK-NEXT: file: expected the path of a file, but got '-'
// CHECK-NEXT: file: beside.h: Is a directory
// HEADER: int cast(const qf_tensor
