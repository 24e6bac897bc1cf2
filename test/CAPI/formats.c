// Loads models of every format from files and from memory, and sets the mode of
// fakeconvert.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/formats
// RUN: cd %t && %t/formats %src_root/examples/digits/digits-f8.onnx > %t/out
// RUN: FileCheck %s < %t/out
#include "Inputs/harness.h"

static QuantFloatSession session;

static const char layers[] =
    "<net name=\"net\" version=\"11\"><layers>\n"
    "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">\n"
    "<data shape=\"2\" element_type=\"f32\"/><output><port id=\"0\" "
    "precision=\"FP32\"><dim>2</dim></port></output></layer>\n"
    "<layer id=\"1\" name=\"s\" type=\"Parameter\" version=\"opset1\">\n"
    "<data shape=\"1\" element_type=\"f32\"/><output><port id=\"0\" "
    "precision=\"FP32\"><dim>1</dim></port></output></layer>\n"
    "<layer id=\"2\" name=\"f\" type=\"FakeConvert\" version=\"opset13\">\n"
    "<data destination_type=\"f8e4m3\"/><input><port id=\"0\" "
    "precision=\"FP32\"><dim>2</dim></port><port id=\"1\" precision=\"FP32\">"
    "<dim>1</dim></port></input><output><port id=\"2\" precision=\"FP32\">"
    "<dim>2</dim></port></output></layer>\n"
    "<layer id=\"3\" name=\"y\" type=\"Result\" version=\"opset1\">\n"
    "<input><port id=\"0\" precision=\"FP32\"><dim>2</dim></port></input>"
    "</layer></layers><edges>\n"
    "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>\n"
    "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/>\n"
    "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/>\n"
    "</edges></net>\n";

static char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  REQUIRE(file);
  char *bytes = malloc(1 << 24);
  *size = fread(bytes, 1, 1 << 24, file);
  fclose(file);
  return bytes;
}

static void onnx(const char *path) {
  QuantFloatModel loaded, parsed;
  QuantFloatBuffer a, b;
  /* Names of large constants are unique in a session. */
  QuantFloatSession other;
  MUST(quantFloatSessionCreate(NULL, &other, &lastError));
  MUST(quantFloatModelLoad(other, path, NULL, &loaded, &lastError));
  MUST(quantFloatSessionDestroy(other));
  size_t size;
  char *bytes = readFile(path, &size);
  QuantFloatLoadOptions options;
  quantFloatLoadOptionsInit(&options, sizeof options);
  options.name = path;
  MUST(quantFloatModelParse(session, QUANT_FLOAT_FORMAT_ONNX, bytes, size,
                            &options, &parsed, &lastError));
  free(bytes);
  const QuantFloatEntry *entry = quantFloatModelGetEntry(parsed, 0);
  printf("onnx: %s to %s\n", entry->inputs[0].name, entry->outputs[0].name);
  MUST(quantFloatModelWrite(loaded, false, &a, &lastError));
  MUST(quantFloatModelWrite(parsed, false, &b, &lastError));
  REQUIRE(!strcmp(quantFloatBufferGetData(a), quantFloatBufferGetData(b)));
  QuantFloatReport report;
  MUST(quantFloatModelCheck(parsed, QUANT_FLOAT_OPSET_ALL, &report,
                            &lastError));
  const QuantFloatNodeReport *node = quantFloatReportGetNode(report, 0);
  printf("%zu nodes, first '%s' of %s\n", quantFloatReportGetNumNodes(report),
         node->name, node->opName);
  MUST(quantFloatReportDestroy(report));
  MUST(quantFloatBufferDestroy(a));
  MUST(quantFloatBufferDestroy(b));
  MUST(quantFloatModelDestroy(loaded));
  MUST(quantFloatModelDestroy(parsed));
}

/* Prints the text between "mode" and "opset" of the only fakeconvert op. */
static void printMode(const char *what, QuantFloatModel model) {
  QuantFloatBuffer buffer;
  MUST(quantFloatModelWrite(model, false, &buffer, &lastError));
  const char *op = strstr(quantFloatBufferGetData(buffer), "fakeconvert ");
  const char *to = strstr(op, " to "), *end = strstr(op, " opset");
  printf("%s:%.*s\n", what, (int)(end - to), to);
  MUST(quantFloatBufferDestroy(buffer));
}

static QuantFloatModel openVino(int32_t mode) {
  QuantFloatModel model;
  QuantFloatLoadOptions options;
  quantFloatLoadOptionsInit(&options, sizeof options);
  options.fakeConvertMode = mode;
  MUST(quantFloatModelParse(session, QUANT_FLOAT_FORMAT_OPENVINO, layers,
                            strlen(layers), &options, &model, &lastError));
  return model;
}

/* OpenVINO's plugin converts NaN to a finite value. */
static void run(const char *what, QuantFloatModel model,
                const QuantFloatCompileOptions *options) {
  QuantFloatKernel kernel;
  MUST(quantFloatModelCompile(model, options, &kernel, &lastError));
  float x[2] = {-__builtin_nanf(""), 1.0f / 0.75f}, scale = 3, y[2];
  int64_t two = 2, one = 1;
  qf_tensor inputs[2] = {{x, &two, 1, QF_FLOAT32},
                         {&scale, &one, 1, QF_FLOAT32}};
  qf_tensor output = {y, &two, 1, QF_FLOAT32};
  MUST(quantFloatKernelRun(kernel, 0, inputs, 2, &output, 1, &lastError));
  printf("%s: %s, %a\n", what, y[0] != y[0] ? "nan" : "number", y[1]);
  MUST(quantFloatKernelDestroy(kernel));
}

int main(int argc, char **argv) {
  REQUIRE(argc == 2);
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  onnx(argv[1]);
  QuantFloatModel model = openVino(QUANT_FLOAT_FAKE_CONVERT_OF_MODEL);
  printMode("of the model", model);
  run("run", model, NULL);
  QuantFloatCompileOptions options;
  quantFloatCompileOptionsInit(&options, sizeof options);
  options.fakeConvertMode = QUANT_FLOAT_FAKE_CONVERT_EXACT;
  run("run exactly", model, &options);
  printMode("still", model);
  MUST(quantFloatModelSetFakeConvertMode(
      model, QUANT_FLOAT_FAKE_CONVERT_OPENVINO_REFERENCE, &lastError));
  printMode("set", model);
  MUST(quantFloatModelSetFakeConvertMode(
      model, QUANT_FLOAT_FAKE_CONVERT_OF_MODEL, &lastError));
  printMode("left", model);
  MUST(quantFloatModelDestroy(model));
  model = openVino(QUANT_FLOAT_FAKE_CONVERT_EXACT);
  printMode("read exactly", model);
  MUST(quantFloatModelDestroy(model));
  MUST(quantFloatSessionDestroy(session));
  return 0;
}

// CHECK: onnx: {{.+}} to logits
// CHECK-NEXT: {{[0-9]+}} nodes, first '{{.+}}' of {{(Q|Deq)}}uantizeLinear
// CHECK-NEXT: of the model: to f8E4M3FN mode{{ +}}openvino
// CHECK-NEXT: run: number,
// CHECK-NEXT: run exactly: nan,
// CHECK-NEXT: still: to f8E4M3FN mode{{ +}}openvino{{$}}
// CHECK-NEXT: set: to f8E4M3FN mode{{ +}}openvino_reference
// CHECK-NEXT: left: to f8E4M3FN mode{{ +}}openvino_reference
// CHECK-NEXT: read exactly: to f8E4M3FN
