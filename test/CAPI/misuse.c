// The status and message of the C API for wrong handles, arguments, options and
// files. Every case prints them, and none may crash.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/misuse
// RUN: cd %t && %t/misuse > %t/out
// RUN: FileCheck %s < %t/out
#include "Inputs/harness.h"
#include "quant-float-c/Opsets.h"
#include <sys/stat.h>

static QuantFloatError error;
static int numCases;

/* Prints the error of a call that must fail. */
static void answer(const char *what, QuantFloatStatus status) {
  REQUIRE(status != QUANT_FLOAT_OK);
  REQUIRE(quantFloatErrorGetStatus(error) == status);
  REQUIRE(*quantFloatErrorGetMessage(error));
  printf("%s: %s: %s\n", what, quantFloatStatusGetName(status),
         quantFloatErrorGetMessage(error));
  REQUIRE(quantFloatErrorDestroy(error) == QUANT_FLOAT_OK);
  ++numCases;
}

/* A call without an error object. */
static void value(const char *what, int isRight) {
  require(isRight, what, 0);
  ++numCases;
}

static QuantFloatSession session;
static QuantFloatModel model;
static QuantFloatKernel kernel;

static QuantFloatStatus parseBytes(const char *bytes, int32_t format,
                                   const QuantFloatLoadOptions *options) {
  QuantFloatModel result = {7};
  QuantFloatStatus status = quantFloatModelParse(
      session, format, bytes, strlen(bytes), options, &result, &error);
  REQUIRE(result.id == 0);
  return status;
}

static QuantFloatStatus load(const char *path) {
  QuantFloatModel result;
  return quantFloatModelLoad(session, path, NULL, &result, &error);
}

static QuantFloatStatus compileWith(const QuantFloatCompileOptions *options) {
  QuantFloatKernel result = {7};
  QuantFloatStatus status =
      quantFloatModelCompile(model, options, &result, &error);
  REQUIRE(result.id == 0);
  return status;
}

static QuantFloatStatus emit(int32_t kind,
                             const QuantFloatCompileOptions *options) {
  QuantFloatBuffer buffer = {7};
  QuantFloatStatus status =
      quantFloatModelEmit(model, kind, options, NULL, &buffer, &error);
  REQUIRE(buffer.id == 0);
  return status;
}

/* Calls every function that takes a handle with an invalid one. */
static void badHandles(const char *name, QuantFloatSession s, QuantFloatModel m,
                       QuantFloatKernel k) {
  printf("-- %s\n", name);
  QuantFloatModel model = {0};
  QuantFloatKernel kernel = {0};
  QuantFloatBuffer buffer = {0};
  QuantFloatReport report = {0};
  QuantFloatTensors tensors = {0};
  size_t entry;
  answer("load", quantFloatModelLoad(s, "x.mlir", NULL, &model, &error));
  answer("parse",
         quantFloatModelParse(s, 0, "", 0, NULL, &model, &error));
  answer("verify", quantFloatModelVerify(m, &error));
  answer("passes", quantFloatModelRunPasses(m, "any(cse)", &error));
  answer("mode", quantFloatModelSetFakeConvertMode(m, 0, &error));
  answer("bind", quantFloatModelBindInput(m, "x", &(qf_tensor){0}, &error));
  answer("bind weights", quantFloatModelBindWeights(m, "x", &error));
  answer("write", quantFloatModelWrite(m, false, &buffer, &error));
  answer("check", quantFloatModelCheck(m, 0, &report, &error));
  answer("compile", quantFloatModelCompile(m, NULL, &kernel, &error));
  answer("emit", quantFloatModelEmit(m, 0, NULL, NULL, &buffer, &error));
  answer("emit file", quantFloatModelEmitToFile(m, 0, NULL, "x", &error));
  answer("evaluate",
         quantFloatModelEvaluate(m, 0, NULL, 0, &tensors, &error));
  answer("find", quantFloatKernelFindEntry(k, "x", &entry, &error));
  answer("functions",
         quantFloatKernelGetFunctions(k, 0, NULL, NULL, &error));
  answer("sizes",
         quantFloatKernelGetOutputSizes(k, 0, NULL, 0, NULL, 0, &error));
  answer("run", quantFloatKernelRun(k, 0, NULL, 0, NULL, 0, &error));
  value("model entries", quantFloatModelGetNumEntries(m) == 0 &&
                             !quantFloatModelGetEntry(m, 0));
  value("kernel entries", quantFloatKernelGetNumEntries(k) == 0 &&
                              !quantFloatKernelGetEntry(k, 0));
}

static void randomBits(void) {
  uint8_t byte;
  answer("random type",
         quantFloatMakeRandomBits(QF_INT8, 0, 0, &byte, 1, &error));
  answer("random place",
         quantFloatMakeRandomBits(QF_UINT8, 0, 0, NULL, 1, &error));
  answer("random count", quantFloatMakeRandomBits(QF_UINT32, 0, 0, &byte,
                                                  SIZE_MAX / 2, &error));
}

static void handles(void) {
  QuantFloatSession noSession = {0};
  QuantFloatModel noModel = {0};
  QuantFloatKernel noKernel = {0};
  badHandles("null", noSession, noModel, noKernel);

  QuantFloatSession deadSession;
  MUST(quantFloatSessionCreate(NULL, &deadSession, &lastError));
  QuantFloatModel deadModel = parse(deadSession, castText);
  QuantFloatKernel deadKernel = compileText(castText, NULL);
  MUST(quantFloatSessionDestroy(deadSession));
  MUST(quantFloatModelDestroy(deadModel));
  MUST(quantFloatKernelDestroy(deadKernel));
  badHandles("destroyed", deadSession, deadModel, deadKernel);
  /* New objects reuse the slots of the destroyed handles. The old handles must
     not access them. */
  QuantFloatSession next;
  MUST(quantFloatSessionCreate(NULL, &next, &lastError));
  value("destroy a session twice",
        quantFloatSessionDestroy(deadSession) == QUANT_FLOAT_ERROR_HANDLE);
  value("destroy a model twice",
        quantFloatModelDestroy(deadModel) == QUANT_FLOAT_ERROR_HANDLE);
  value("destroy a kernel twice",
        quantFloatKernelDestroy(deadKernel) == QUANT_FLOAT_ERROR_HANDLE);
  MUST(quantFloatSessionDestroy(next));

  QuantFloatSession wrongSession = {model.id};
  QuantFloatModel wrongModel = {kernel.id};
  QuantFloatKernel wrongKernel = {session.id};
  badHandles("of another kind", wrongSession, wrongModel, wrongKernel);
  QuantFloatSession madeUp = {0x0123456789abcdef};
  QuantFloatModel madeUpModel = {~(uint64_t)0};
  QuantFloatKernel madeUpKernel = {42};
  badHandles("made up", madeUp, madeUpModel, madeUpKernel);

  value("destroy nothing",
        quantFloatSessionDestroy(noSession) == QUANT_FLOAT_OK &&
            quantFloatModelDestroy(noModel) == QUANT_FLOAT_OK &&
            quantFloatKernelDestroy(noKernel) == QUANT_FLOAT_OK);
  value("destroy a number",
        quantFloatSessionDestroy(madeUp) == QUANT_FLOAT_ERROR_HANDLE &&
            quantFloatModelDestroy(madeUpModel) == QUANT_FLOAT_ERROR_HANDLE);

  QuantFloatError made = {0};
  value("null error", quantFloatErrorGetStatus(made) == QUANT_FLOAT_OK &&
                          !*quantFloatErrorGetMessage(made) &&
                          quantFloatErrorGetNumDiagnostics(made) == 0 &&
                          !quantFloatErrorGetDiagnostic(made, 0) &&
                          quantFloatErrorDestroy(made) == QUANT_FLOAT_OK);
  made.id = 12345;
  value("no error", quantFloatErrorGetStatus(made) == QUANT_FLOAT_ERROR_HANDLE &&
                        !*quantFloatErrorGetMessage(made) &&
                        quantFloatErrorDestroy(made) ==
                            QUANT_FLOAT_ERROR_HANDLE);
  REQUIRE(load("none.mlir"));
  made = error;
  value("no such diagnostic",
        !quantFloatErrorGetDiagnostic(made, 99) &&
            quantFloatErrorDestroy(made) == QUANT_FLOAT_OK &&
            !quantFloatErrorGetDiagnostic(made, 0) &&
            quantFloatErrorDestroy(made) == QUANT_FLOAT_ERROR_HANDLE);
  QuantFloatBuffer buffer;
  MUST(quantFloatModelWrite(model, false, &buffer, &lastError));
  MUST(quantFloatBufferDestroy(buffer));
  value("destroyed buffer",
        !quantFloatBufferGetData(buffer) && !quantFloatBufferGetSize(buffer) &&
            quantFloatBufferDestroy(buffer) == QUANT_FLOAT_ERROR_HANDLE);
  QuantFloatReport report;
  MUST(quantFloatModelCheck(model, 0, &report, &lastError));
  value("no such node", !quantFloatReportGetNode(report, 1));
  MUST(quantFloatReportDestroy(report));
  value("destroyed report", !quantFloatReportGetText(report) &&
                                !quantFloatReportGetJson(report) &&
                                !quantFloatReportGetNumNodes(report) &&
                                !quantFloatReportGetNumInvalid(report) &&
                                !quantFloatReportGetNode(report, 0) &&
                                quantFloatReportDestroy(report) ==
                                    QUANT_FLOAT_ERROR_HANDLE);
  QuantFloatTensors tensors = {session.id};
  value("no tensors", !quantFloatTensorsGetCount(tensors) &&
                          !quantFloatTensorsGet(tensors, 0) &&
                          quantFloatTensorsDestroy(tensors) ==
                              QUANT_FLOAT_ERROR_HANDLE);
}

static void nulls(void) {
  printf("-- null pointers\n");
  QuantFloatModel result;
  size_t entry;
  answer("session", quantFloatSessionCreate(NULL, NULL, &error));
  answer("load model",
         quantFloatModelLoad(session, "x.mlir", NULL, NULL, &error));
  answer("load path",
         quantFloatModelLoad(session, NULL, NULL, &result, &error));
  answer("parse model",
         quantFloatModelParse(session, 0, "", 0, NULL, NULL, &error));
  answer("parse data",
         quantFloatModelParse(session, 0, NULL, 4, NULL, &result, &error));
  answer("pipeline", quantFloatModelRunPasses(model, NULL, &error));
  answer("bind name",
         quantFloatModelBindInput(model, NULL, &(qf_tensor){0}, &error));
  answer("bind tensor", quantFloatModelBindInput(model, "x", NULL, &error));
  answer("bind path", quantFloatModelBindWeights(model, NULL, &error));
  answer("write", quantFloatModelWrite(model, false, NULL, &error));
  answer("check", quantFloatModelCheck(model, 0, NULL, &error));
  answer("compile", quantFloatModelCompile(model, NULL, NULL, &error));
  answer("emit", quantFloatModelEmit(model, 0, NULL, NULL, NULL, &error));
  answer("emit file",
         quantFloatModelEmitToFile(model, 0, NULL, NULL, &error));
  answer("evaluate",
         quantFloatModelEvaluate(model, 0, NULL, 0, NULL, &error));
  QuantFloatTensors tensors;
  answer("evaluate inputs",
         quantFloatModelEvaluate(model, 0, NULL, 1, &tensors, &error));
  answer("find name",
         quantFloatKernelFindEntry(kernel, NULL, &entry, &error));
  answer("find entry", quantFloatKernelFindEntry(kernel, "f", NULL, &error));
  /* The error argument may be null. */
  value("no error wanted",
        quantFloatModelLoad(session, NULL, NULL, &result, NULL) ==
                QUANT_FLOAT_ERROR_NULL &&
            quantFloatKernelRun(kernel, 9, NULL, 0, NULL, 0, NULL) ==
                QUANT_FLOAT_ERROR_ARGUMENT);
  quantFloatSessionOptionsInit(NULL, 8);
  quantFloatLoadOptionsInit(NULL, 8);
  quantFloatCompileOptionsInit(NULL, 8);
  value("queries",
        !quantFloatOpGetNumVersions(NULL) && !quantFloatOpGetVersion(NULL, 0) &&
            !quantFloatOpResolveVersion(NULL, 13) &&
            !quantFloatOpAcceptsType(NULL, 13, 0, 1) &&
            !quantFloatOpGetFirstOpsetOfType(NULL, 0, 1) &&
            !quantFloatOpHasAttribute("Cast", 19, NULL) &&
            !quantFloatOpGetFirstOpsetOfAttribute("Cast", NULL) &&
            !quantFloatOpScaleHasInputType(NULL, 19) &&
            !quantFloatDtypeFromName(NULL));
}

static void files(void) {
  printf("-- files\n");
  mkdir("folder.mlir", 0700);
  FILE *file = fopen("empty.onnx", "w");
  fclose(file);
  file = fopen("wrong.xml", "w");
  fputs("<net>", file);
  fclose(file);
  answer("standard input", load("-"));
  answer("no suffix", load("model"));
  answer("missing mlir", load("none.mlir"));
  answer("missing onnx", load("none.onnx"));
  answer("missing xml", load("none.xml"));
  answer("folder", load("folder.mlir"));
  answer("empty path", load(""));
  answer("empty onnx", load("empty.onnx"));
  answer("wrong xml", load("wrong.xml"));
  answer("write to a missing folder",
         quantFloatModelEmitToFile(model, QUANT_FLOAT_EMIT_MLIR, NULL,
                                   "none/x.mlir", &error));
  answer("link to a missing folder",
         quantFloatModelEmitToFile(model, QUANT_FLOAT_EMIT_SHARED, NULL,
                                   "none/x.so", &error));
  answer("header of itself",
         quantFloatModelEmitToFile(model, QUANT_FLOAT_EMIT_OBJECT, NULL, "x.h",
                                   &error));
}

static void strings(void) {
  printf("-- strings\n");
  answer("no mlir", parseBytes("hello", QUANT_FLOAT_FORMAT_MLIR, NULL));
  answer("bytecode", parseBytes("ML\xefR\x05", QUANT_FLOAT_FORMAT_MLIR, NULL));
  answer("no onnx", parseBytes("hello", QUANT_FLOAT_FORMAT_ONNX, NULL));
  answer("no xml", parseBytes("hello", QUANT_FLOAT_FORMAT_OPENVINO, NULL));
  answer("format below", parseBytes("", -1, NULL));
  answer("format above", parseBytes("", 3, NULL));
  answer("no pipeline", quantFloatModelRunPasses(model, "(((", &error));
  answer("no pass",
         quantFloatModelRunPasses(model, "builtin.module(no-pass)", &error));
  answer("no option",
         quantFloatModelRunPasses(
             model, "builtin.module(canonicalize{no-option=1})", &error));
  answer("for functions",
         quantFloatModelRunPasses(model, "func.func(cse)", &error));
  answer("no opset", quantFloatModelCheck(model, 29, &(QuantFloatReport){0},
                                          &error));
  answer("opset -2", quantFloatModelCheck(model, -2, &(QuantFloatReport){0},
                                          &error));
  answer("mode", quantFloatModelSetFakeConvertMode(model, 3, &error));
  float number = 0;
  qf_tensor scalar = {&number, NULL, 0, QF_FLOAT32};
  answer("bind none", quantFloatModelBindInput(model, "none", &scalar, &error));
  answer("bind no weights",
         quantFloatModelBindWeights(model, "x.npy", &error));
  QuantFloatModel unverified;
  QuantFloatLoadOptions options;
  quantFloatLoadOptionsInit(&options, sizeof options);
  options.verify = false;
  options.name = "bad.mlir";
  const char *bad = "func.func @f(%x: tensor<4xf32>) -> tensor<4xi32> {\n"
                    "  return %x : tensor<4xf32>\n"
                    "}\n";
  MUST(quantFloatModelParse(session, QUANT_FLOAT_FORMAT_MLIR, bad, strlen(bad),
                            &options, &unverified, &lastError));
  answer("compile invalid",
         quantFloatModelCompile(unverified, NULL, &(QuantFloatKernel){0},
                                &error));
  answer("pass on invalid",
         quantFloatModelRunPasses(unverified, "builtin.module(cse)", &error));
  answer("evaluate invalid",
         quantFloatModelEvaluate(unverified, 0, NULL, 0,
                                 &(QuantFloatTensors){0}, &error));
  MUST(quantFloatModelDestroy(unverified));
  /* Functions whose type attribute is not a function type, with too few
     argument and result attributes, or with attributes other than dictionaries.
     */
  const char *odd[] = {"function_type = i32",
                       "function_type = (i32) -> i32, arg_attrs = [3]",
                       "function_type = (i32) -> i32, arg_attrs = []",
                       "function_type = (i32) -> i32, res_attrs = [3]",
                       "function_type = (i32) -> i32, res_attrs = [{}, {}]"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
    char text[256];
    snprintf(text, sizeof text,
             "\"func.func\"() <{sym_name = \"f\", %s}> ({\n"
             "^bb0(%%x: i32): \"func.return\"(%%x) : (i32) -> ()\n"
             "}) : () -> ()",
             odd[i]);
    MUST(quantFloatModelParse(session, QUANT_FLOAT_FORMAT_MLIR, text,
                              strlen(text), &options, &unverified, &lastError));
    value("entries of unverified",
          quantFloatModelGetNumEntries(unverified) == (i > 0));
    answer("odd function", quantFloatModelVerify(unverified, &error));
    MUST(quantFloatModelDestroy(unverified));
  }
  QuantFloatModel broken = parse(
      session, "func.func @f(%x: tensor<*xf32>) -> tensor<4xf16> {\n"
               "  %0 = quant_float.cast %x opset 13\n"
               "      : tensor<*xf32> to tensor<4xf16>\n"
               "  return %0 : tensor<4xf16>\n"
               "}\n");
  answer("failing pass",
         quantFloatModelRunPasses(
             broken, "builtin.module(convert-quant-float-to-linalg)", &error));
  answer("after it", quantFloatModelRunPasses(broken, "any(cse)", &error));
  answer("compile after it",
         quantFloatModelCompile(broken, NULL, &(QuantFloatKernel){0}, &error));
  MUST(quantFloatModelDestroy(broken));
}

static void options(void) {
  printf("-- options\n");
  QuantFloatCompileOptions c;
#define COMPILE(what, change)                                                  \
  quantFloatCompileOptionsInit(&c, sizeof c);                                  \
  change;                                                                      \
  answer(what, compileWith(&c))
  COMPILE("no size", c.size = 0);
  COMPILE("huge size", c.size = 1 << 20);
  COMPILE("level", c.optimizationLevel = 4);
  COMPILE("target", c.target = 2);
  COMPILE("target below", c.target = -1);
  COMPILE("nvvm", (c.target = QUANT_FLOAT_TARGET_NVVM, c.chip = "sm_1"));
  COMPILE("threads", c.threads = 5000);
  COMPILE("accumulation", c.accumulation = 2);
  COMPILE("activations", c.activations = 3);
  COMPILE("mode", c.fakeConvertMode = -2);
  COMPILE("cpu", c.cpu = "no-such-cpu");
  COMPILE("triple", c.triple = "riscv64-linux-gnu");
  COMPILE("no triple", c.triple = "hello");
#ifdef __x86_64__
  COMPILE("cpu of another architecture", c.cpu = "apple-m1");
  COMPILE("system", c.triple = "x86_64-apple-macosx");
#else
  COMPILE("cpu of another architecture", c.cpu = "znver4");
  COMPILE("system", c.triple = "aarch64-apple-macosx");
#endif
  struct {
    QuantFloatCompileOptions known;
    int64_t later;
  } newer;
  memset(&newer, 0, sizeof newer);
  quantFloatCompileOptionsInit(&newer.known, sizeof newer);
  newer.later = 1;
  answer("unknown field", compileWith(&newer.known));
  answer("kind below", emit(-1, NULL));
  answer("kind above", emit(9, NULL));
  answer("shared to memory", emit(QUANT_FLOAT_EMIT_SHARED, NULL));
  QuantFloatLoadOptions l;
  quantFloatLoadOptionsInit(&l, sizeof l);
  l.size = 1;
  answer("load size", parseBytes(castText, QUANT_FLOAT_FORMAT_MLIR, &l));
  quantFloatLoadOptionsInit(&l, sizeof l);
  l.fakeConvertMode = 9;
  answer("load mode", parseBytes(castText, QUANT_FLOAT_FORMAT_MLIR, &l));
  QuantFloatSessionOptions s;
  quantFloatSessionOptionsInit(&s, sizeof s);
  s.size = 3;
  answer("session size",
         quantFloatSessionCreate(&s, &(QuantFloatSession){0}, &error));
}

int main(void) {
  /* Output is unbuffered: a process that reads damaged bytecode under
     ThreadSanitizer would print the inherited buffer again. */
  setvbuf(stdout, NULL, _IOLBF, 0);
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  model = parse(session, castText);
  kernel = compileText(castText, NULL);
  randomBits();
  handles();
  nulls();
  files();
  strings();
  options();
  /* The library still works after all these errors. */
  QuantFloatKernel last;
  MUST(quantFloatModelCompile(model, NULL, &last, &lastError));
  MUST(quantFloatKernelDestroy(last));
  MUST(quantFloatModelDestroy(model));
  MUST(quantFloatKernelDestroy(kernel));
  MUST(quantFloatSessionDestroy(session));
  printf("%d cases, alive: %zu\n", numCases, quantFloatGetNumLiveObjects());
  return 0;
}

// CHECK: random type: element type: random bits must have type uint2, uint4, uint8, uint16 or uint32, but got dtype 3
// CHECK: random place: null: {{.*}}elements
// CHECK: random count: size: no memory holds {{.*}} elements
// CHECK-LABEL: -- null
// CHECK-COUNT-2: : handle: expected a handle of a session, but got a null handle
// CHECK-COUNT-11: : handle: expected a handle of a model, but got a null handle
// CHECK-COUNT-4: : handle: expected a handle of a kernel, but got a null handle
// CHECK-LABEL: -- destroyed
// CHECK-COUNT-2: : handle: expected a handle of a session, but got a handle of a destroyed object
// CHECK-COUNT-11: : handle: expected a handle of a model, but got a handle of a destroyed object
// CHECK-COUNT-4: : handle: expected a handle of a kernel, but got a handle of a destroyed object
// CHECK-LABEL: -- of another kind
// CHECK-COUNT-2: : handle: expected a handle of a session, but got a handle of a model
// CHECK-COUNT-11: : handle: expected a handle of a model, but got a handle of a kernel
// CHECK-COUNT-4: : handle: expected a handle of a kernel, but got a handle of a session
// CHECK-LABEL: -- made up
// CHECK-COUNT-2: : handle: expected a handle of a session, but got an invalid handle
// CHECK-COUNT-11: : handle: expected a handle of a model, but got an invalid handle
// CHECK-COUNT-4: : handle: expected a handle of a kernel, but got an invalid handle
// CHECK-LABEL: -- null pointers
// CHECK: session: null: session must not be null
// CHECK-NEXT: load model: null: model must not be null
// CHECK-NEXT: load path: null: path must not be null
// CHECK-NEXT: parse model: null: model must not be null
// CHECK-NEXT: parse data: null: data must not be null
// CHECK-NEXT: pipeline: null: pipeline must not be null
// CHECK-NEXT: bind name: null: name must not be null
// CHECK-NEXT: bind tensor: null: tensor must not be null
// CHECK-NEXT: bind path: null: path must not be null
// CHECK-NEXT: write: null: buffer must not be null
// CHECK-NEXT: check: null: report must not be null
// CHECK-NEXT: compile: null: kernel must not be null
// CHECK-NEXT: emit: null: buffer must not be null
// CHECK-NEXT: emit file: null: path must not be null
// CHECK-NEXT: evaluate: null: results must not be null
// CHECK-NEXT: evaluate inputs: null: inputs must not be null
// CHECK-NEXT: find name: null: name must not be null
// CHECK-NEXT: find entry: null: entry must not be null
// CHECK-LABEL: -- files
// CHECK-NEXT: standard input: file: expected the path of a file, but got '-'
// CHECK-NEXT: no suffix: file: model: expected a model in .onnx, .xml, .mlir or .mlirbc, or '-'
// CHECK-NEXT: missing mlir: file: none.mlir: No such file or directory
// CHECK-NEXT: missing onnx: file: none.onnx: no such file
// CHECK-NEXT: missing xml: file: none.xml: no such file
// CHECK-NEXT: folder: file: folder.mlir: is a directory
// CHECK-NEXT: empty path: file: expected the path of a file, but got ''
// CHECK-NEXT: empty onnx: model: empty.onnx: not an ONNX model: no ir_version
// CHECK-NEXT: wrong xml: model: wrong.xml:1:5: not XML: start-end tags mismatch
// CHECK-NEXT: write to a missing folder: file: none/x.mlir: No such file or directory
// CHECK-NEXT: link to a missing folder: file: none/x.so: No such file or directory
// CHECK-NEXT: header of itself: argument: the .h file next to 'x.h' would overwrite it
// CHECK-LABEL: -- strings
// CHECK-NEXT: no mlir: model: <memory>:1:1: custom op 'hello' is unknown (tried 'builtin.hello' as well)
// CHECK-NEXT: bytecode: model: <memory>: malformed null-terminated string, no null character found
// CHECK-NEXT: no onnx: model: <memory>: not an ONNX model: malformed protobuf
// CHECK-NEXT: no xml: model: <memory>:1:1: not an OpenVINO model: expected the element 'net', but got text
// CHECK-NEXT: format below: argument: format must be 0 to 2, but got -1
// CHECK-NEXT: format above: argument: format must be 0 to 2, but got 3
// CHECK-NEXT: no pipeline: argument: the pipeline cannot be parsed: expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'
// CHECK-NEXT: no pass: argument: the pipeline cannot be parsed: MLIR Textual PassPipeline Parser:1:1: error: 'no-pass' does not refer to a registered pass or pass pipeline
// CHECK: no option: argument: the pipeline cannot be parsed: <Pass-Options-Parser>: no such option no-option
// CHECK: for functions: argument: the pipeline must run on builtin.module, but runs on func.func
// CHECK-NEXT: no opset: argument: opset must be -1 to 28, but got 29
// CHECK-NEXT: opset -2: argument: opset must be -1 to 28, but got -2
// CHECK-NEXT: mode: argument: the mode of fakeconvert must be -1 to 2, but got 3
// CHECK-NEXT: bind none: argument: there is no input 'none' to bind
// CHECK-NEXT: bind no weights: file: {{.*}}expected weights in .safetensors, .safetensors.index.json or .gguf
// CHECK-NEXT: compile invalid: model: bad.mlir:2:3: type of return operand 0 ('tensor<4xf32>') doesn't match function result type ('tensor<4xi32>') in function @f
// CHECK-NEXT: pass on invalid: model: bad.mlir:2:3: type of return operand 0 ('tensor<4xf32>') doesn't match function result type ('tensor<4xi32>') in function @f
// CHECK-NEXT: evaluate invalid: model: bad.mlir:2:3: type of return operand 0 ('tensor<4xf32>') doesn't match function result type ('tensor<4xi32>') in function @f
// CHECK-COUNT-5: odd function: model:
// CHECK-NEXT: failing pass: model: <memory>:2:8: 'quant_float.cast' op has no lowering for the unranked type 'tensor<*xf32>'
// CHECK-NEXT: after it: argument: an earlier pipeline failed on the model
// CHECK-NEXT: compile after it: argument: an earlier pipeline failed on the model
// CHECK-LABEL: -- options
// CHECK-NEXT: no size: argument: the first field of the options must be their size, but got 0
// CHECK-NEXT: huge size: argument: the first field of the options must be their size, but got 1048576
// CHECK-NEXT: level: argument: optimizationLevel must be 0 to 3, but got 4
// CHECK-NEXT: target: argument: target must be 0 or 1, but got 2
// CHECK-NEXT: target below: argument: target must be 0 or 1, but got -1
// CHECK-NEXT: nvvm: {{device|model}}: {{.+}}
// CHECK-NEXT: threads: argument: threads must be 0 to 4096, but got 5000
// CHECK-NEXT: accumulation: argument: accumulation must be 0 or 1, but got 2
// CHECK-NEXT: activations: argument: activations must be 0 to 2, but got 3
// CHECK-NEXT: mode: argument: the mode of fakeconvert must be -1 to 2, but got -2
// CHECK-NEXT: cpu: model: <memory>: unknown cpu 'no-such-cpu' for the triple {{.*}}
// CHECK-NEXT: triple: unsupported: code for 'riscv64-linux-gnu' cannot run in this process, which is for '{{.+}}'
// CHECK-NEXT: no triple: unsupported: code for 'hello' cannot run in this process, which is for '{{.+}}'
// CHECK-NEXT: cpu of another architecture: unsupported: code for '{{apple-m1|znver4}}' cannot run in this process, which is for '{{.+}}'
// CHECK-NEXT: system: unsupported: code for '{{.*}}-apple-macosx' cannot run in this process, which is for '{{.+}}'
// CHECK-NEXT: unknown field: unsupported: the options set fields that this version of the library does not support
// CHECK-NEXT: kind below: argument: kind must be 0 to 8, but got -1
// CHECK-NEXT: kind above: argument: kind must be 0 to 8, but got 9
// CHECK-NEXT: shared to memory: unsupported: a shared library must be written to a file
// CHECK-NEXT: load size: argument: the first field of the options must be their size, but got 1
// CHECK-NEXT: load mode: argument: the mode of fakeconvert must be -1 to 2, but got 9
// CHECK-NEXT: session size: argument: the first field of the options must be their size, but got 3
// CHECK-NEXT: 176 cases, alive: 0
