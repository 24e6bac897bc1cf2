// Tests the dialect, its types, attributes and passes through MLIR's C API, and
// the exchange of modules with sessions.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/dialect
// RUN: %t/dialect > %t/out
// RUN: FileCheck %s < %t/out
#include "Inputs/harness.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/RegisterEverything.h"
#include "quant-float-c/Dialect.h"
#include "quant-float-c/Interop.h"
#include "quant-float-c/Passes.h"

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static void append(MlirStringRef text, void *unused) {
  (void)unused;
  fwrite(text.data, 1, text.length, stdout);
}

static void printType(MlirType type) {
  mlirTypePrint(type, append, NULL);
  printf("\n");
}

static void printAttribute(MlirAttribute attribute) {
  mlirAttributePrint(attribute, append, NULL);
  printf("\n");
}

static void types(MlirContext context) {
  MlirType string = quantFloatStringTypeGet(context);
  MlirType unknown = quantFloatUnknownTypeGet(context);
  MlirType opaque = quantFloatOpaqueTypeGet(context, ref("seq(float)"));
  printType(string);
  printType(unknown);
  printType(opaque);
  REQUIRE(quantFloatTypeIsAString(string) && !quantFloatTypeIsAString(opaque));
  REQUIRE(quantFloatTypeIsAnUnknown(unknown) &&
          !quantFloatTypeIsAnUnknown(string));
  REQUIRE(quantFloatTypeIsAnOpaque(opaque) &&
          !quantFloatTypeIsAnOpaque(unknown));
  REQUIRE(mlirTypeIDEqual(mlirTypeGetTypeID(string),
                          quantFloatStringTypeGetTypeID()) &&
          mlirTypeIDEqual(mlirTypeGetTypeID(unknown),
                          quantFloatUnknownTypeGetTypeID()) &&
          mlirTypeIDEqual(mlirTypeGetTypeID(opaque),
                          quantFloatOpaqueTypeGetTypeID()));
  REQUIRE(mlirStringRefEqual(quantFloatOpaqueTypeGetSpelling(opaque),
                             ref("seq(float)")));
  REQUIRE(quantFloatOpaqueTypeGetSpelling(string).length == 0);
  for (int32_t dtype = 0; dtype < 80; ++dtype) {
    MlirType type = quantFloatElementTypeGet(context, dtype);
    REQUIRE(mlirTypeIsNull(type) ||
            quantFloatElementTypeGetDtype(type) == dtype);
    /* Elements of the string type have no fixed number of bytes. */
    REQUIRE(mlirTypeIsNull(type) == !quantFloatDtypeGetBytes(dtype) ||
            quantFloatTypeIsAString(type));
    if (!mlirTypeIsNull(type)) {
      REQUIRE(quantFloatDtypeFromName(quantFloatDtypeGetMlirName(dtype)) ==
              dtype);
      REQUIRE(quantFloatDtypeFromName(quantFloatDtypeGetOnnxName(dtype)) ==
              dtype);
    }
  }
  /* Packed formats are not types. */
  REQUIRE(!quantFloatDtypeGetBytes(QF_PACKED | QF_INT4) &&
          !strcmp(quantFloatDtypeGetOnnxName(QF_PACKED | QF_INT4),
                  "packed int4") &&
          !quantFloatDtypeGetOnnxName(QF_PACKED | QF_INT8) &&
          !quantFloatDtypeGetOnnxName(QF_PACKED | QF_BOOL));
  REQUIRE(quantFloatDtypeCountBytes(QF_PACKED | QF_INT4, 15) == 8 &&
          quantFloatDtypeCountBytes(QF_PACKED | QF_UINT2, 5) == 2 &&
          quantFloatDtypeCountBytes(QF_PACKED | QF_FLOAT6E2M3, 5) == 4 &&
          quantFloatDtypeCountBytes(QF_INT4, 15) == 15 &&
          quantFloatDtypeCountBytes(QF_FLOAT32, 15) == 60 &&
          quantFloatDtypeCountBytes(QF_FLOAT32, SIZE_MAX / 2) == 0 &&
          quantFloatDtypeCountBytes(8, 1) == 0);
  /* The upper bits of Random123's known answers of Philox 4x32-10. */
  uint32_t words[5];
  uint16_t halves[4];
  MUST(quantFloatMakeRandomBits(QF_UINT32, 0, 0, words, 5, &lastError));
  REQUIRE(words[0] == 0x6627E8D5 && words[1] == 0xE169C58D &&
          words[2] == 0xBC57AC4C && words[3] == 0x9B00DBD8);
  MUST(quantFloatMakeRandomBits(QF_UINT16, 0, 1, halves, 4, &lastError));
  REQUIRE(halves[0] == words[4] >> 16);
  MUST(quantFloatMakeRandomBits(QF_UINT2, 0, 0, halves, 2, &lastError));
  REQUIRE(((uint8_t *)halves)[0] == 1 && ((uint8_t *)halves)[1] == 3);
  MUST(quantFloatMakeRandomBits(QF_UINT8, 0, 0, NULL, 0, &lastError));
  printType(quantFloatElementTypeGet(context, QF_FLOAT4E2M1));
  MlirType own = quantFloatFloat8UE5M3TypeGet(context);
  printType(own);
  REQUIRE(quantFloatTypeIsAFloat8UE5M3(own) && !quantFloatTypeIsAString(own) &&
          !quantFloatTypeIsAFloat8UE5M3(opaque));
  REQUIRE(quantFloatElementTypeGetDtype(own) == QF_FLOAT8UE5M3 &&
          mlirTypeEqual(quantFloatElementTypeGet(context, QF_FLOAT8UE5M3), own));
  REQUIRE(mlirTypeIDEqual(mlirTypeGetTypeID(own),
                          quantFloatFloat8UE5M3TypeGetTypeID()));
  /* The formats of IEEE P3109. */
  MlirType binary = quantFloatBinaryTypeGet(context, 8, 4, true, true);
  printType(binary);
  REQUIRE(quantFloatTypeIsABinary(binary) && !quantFloatTypeIsABinary(own) &&
          quantFloatElementTypeGetDtype(binary) == QF_P3109(8, 4, 1, 1) &&
          mlirTypeEqual(quantFloatElementTypeGet(context, QF_P3109(8, 4, 1, 1)),
                        binary) &&
          mlirTypeIDEqual(mlirTypeGetTypeID(binary),
                          quantFloatBinaryTypeGetTypeID()));
  REQUIRE(mlirTypeEqual(
      quantFloatBinaryTypeGet(context, 8, 4, true, false),
      quantFloatElementTypeGet(context, QF_FLOAT8E4M3FNUZ)));
  REQUIRE(
      mlirTypeIsNull(quantFloatBinaryTypeGet(context, 8, 8, true, true)) &&
      mlirTypeIsNull(quantFloatBinaryTypeGet(context, 9, 4, true, true)) &&
      mlirTypeIsNull(quantFloatBinaryTypeGet(context, 8, 0, false, true)) &&
      mlirTypeIsNull(quantFloatBinaryTypeGet(context, -8, 4, false, true)) &&
      mlirTypeIsNull(
          quantFloatElementTypeGet(context, QF_P3109(8, 4, 1, 0))));
  REQUIRE(quantFloatDtypeGetBytes(QF_P3109(4, 2, 1, 0)) == 1 &&
          quantFloatDtypeFromName("binary4p2sf") == QF_P3109(4, 2, 1, 0) &&
          quantFloatDtypeFromName("!quant_float.binary3p1ue") ==
              QF_P3109(3, 1, 0, 1) &&
          !quantFloatDtypeGetOnnxName(QF_PACKED | QF_P3109(4, 2, 1, 0)));
  REQUIRE(quantFloatElementTypeGetDtype(opaque) == 0);
  REQUIRE(!quantFloatDtypeGetMlirName(14) && !quantFloatDtypeGetOnnxName(-1));
  REQUIRE(quantFloatDtypeFromName("float9") == 0);
  /* Null handles yield null results. */
  MlirContext noContext = {NULL};
  MlirType noType = {NULL};
  REQUIRE(mlirTypeIsNull(quantFloatStringTypeGet(noContext)) &&
          mlirTypeIsNull(quantFloatUnknownTypeGet(noContext)) &&
          mlirTypeIsNull(quantFloatFloat8UE5M3TypeGet(noContext)) &&
          mlirTypeIsNull(quantFloatOpaqueTypeGet(noContext, ref("x"))) &&
          mlirTypeIsNull(quantFloatElementTypeGet(noContext, 1)));
  REQUIRE(!quantFloatTypeIsAString(noType) &&
          !quantFloatTypeIsAnUnknown(noType) &&
          !quantFloatTypeIsAnOpaque(noType) &&
          !quantFloatElementTypeGetDtype(noType) &&
          !quantFloatOpaqueTypeGetSpelling(noType).length);
}

static void attributes(MlirContext context) {
  for (int32_t i = 0; i < 3; ++i) {
    MlirAttribute round = quantFloatRoundModeAttrGet(context, i);
    MlirAttribute mode = quantFloatFakeConvertModeAttrGet(context, i);
    MlirAttribute reciprocal =
        quantFloatFakeConvertReciprocalAttrGet(context, i);
    printAttribute(round);
    printAttribute(mode);
    printAttribute(reciprocal);
    REQUIRE(quantFloatAttributeIsARoundMode(round) &&
            !quantFloatAttributeIsARoundMode(mode));
    REQUIRE(quantFloatAttributeIsAFakeConvertMode(mode) &&
            !quantFloatAttributeIsAFakeConvertMode(reciprocal));
    REQUIRE(quantFloatAttributeIsAFakeConvertReciprocal(reciprocal) &&
            !quantFloatAttributeIsAFakeConvertReciprocal(round));
    REQUIRE(quantFloatRoundModeAttrGetValue(round) == i &&
            quantFloatFakeConvertModeAttrGetValue(mode) == i &&
            quantFloatFakeConvertReciprocalAttrGetValue(reciprocal) == i);
    REQUIRE(quantFloatRoundModeAttrGetValue(mode) == -1);
    REQUIRE(mlirTypeIDEqual(mlirAttributeGetTypeID(round),
                            quantFloatRoundModeAttrGetTypeID()) &&
            mlirTypeIDEqual(mlirAttributeGetTypeID(mode),
                            quantFloatFakeConvertModeAttrGetTypeID()) &&
            mlirTypeIDEqual(mlirAttributeGetTypeID(reciprocal),
                            quantFloatFakeConvertReciprocalAttrGetTypeID()));
  }
  for (int32_t i = 0; i < 3; ++i) {
    MlirAttribute mode = quantFloatCastModeAttrGet(context, i);
    printAttribute(mode);
    REQUIRE(quantFloatAttributeIsACastMode(mode) &&
            !quantFloatAttributeIsARoundMode(mode) &&
            quantFloatCastModeAttrGetValue(mode) == i &&
            mlirTypeIDEqual(mlirAttributeGetTypeID(mode),
                            quantFloatCastModeAttrGetTypeID()));
  }
  for (int32_t i = 0; i < 14; ++i) {
    MlirAttribute rule = quantFloatBlockScaleRuleAttrGet(context, i);
    MlirAttribute layout = quantFloatScaleLayoutAttrGet(context, i);
    MlirAttribute order = quantFloatScaleOrderAttrGet(context, i);
    printAttribute(rule);
    REQUIRE(quantFloatAttributeIsABlockScaleRule(rule) &&
            !quantFloatAttributeIsAScaleOrder(rule) &&
            !quantFloatAttributeIsAScaleLayout(rule) &&
            quantFloatBlockScaleRuleAttrGetValue(rule) == i &&
            mlirTypeIDEqual(mlirAttributeGetTypeID(rule),
                            quantFloatBlockScaleRuleAttrGetTypeID()));
    REQUIRE(mlirAttributeIsNull(layout) == (i >= 6) &&
            mlirAttributeIsNull(order) == (i >= 2));
    if (i < 6) {
      printAttribute(layout);
      REQUIRE(quantFloatAttributeIsAScaleLayout(layout) &&
              !quantFloatAttributeIsABlockScaleRule(layout) &&
              quantFloatScaleLayoutAttrGetValue(layout) == i &&
              mlirTypeIDEqual(mlirAttributeGetTypeID(layout),
                              quantFloatScaleLayoutAttrGetTypeID()));
    }
    if (i < 2) {
      printAttribute(order);
      REQUIRE(quantFloatAttributeIsAScaleOrder(order) &&
              quantFloatScaleOrderAttrGetValue(order) == i &&
              mlirTypeIDEqual(mlirAttributeGetTypeID(order),
                              quantFloatScaleOrderAttrGetTypeID()));
    }
  }
  REQUIRE(mlirAttributeIsNull(quantFloatBlockScaleRuleAttrGet(context, 14)) &&
          quantFloatScaleOrderAttrGetValue(
              quantFloatRoundModeAttrGet(context, 0)) == -1);
  REQUIRE(mlirAttributeIsNull(quantFloatCastModeAttrGet(context, 3)));
  for (int32_t i = 0; i < 9; ++i) {
    MlirAttribute projection = quantFloatProjectionAttrGet(context, i, i % 3);
    printAttribute(projection);
    REQUIRE(quantFloatAttributeIsAProjection(projection) &&
            !quantFloatAttributeIsACastMode(projection) &&
            quantFloatProjectionAttrGetRounding(projection) == i &&
            quantFloatProjectionAttrGetSaturation(projection) == i % 3 &&
            mlirTypeIDEqual(mlirAttributeGetTypeID(projection),
                            quantFloatProjectionAttrGetTypeID()));
  }
  REQUIRE(mlirAttributeIsNull(quantFloatProjectionAttrGet(context, 9, 0)) &&
          mlirAttributeIsNull(quantFloatProjectionAttrGet(context, 0, 3)) &&
          mlirAttributeIsNull(quantFloatProjectionAttrGet(context, -1, -1)) &&
          quantFloatProjectionAttrGetRounding(
              quantFloatRoundModeAttrGet(context, 0)) == -1 &&
          quantFloatProjectionAttrGetSaturation(
              quantFloatRoundModeAttrGet(context, 0)) == -1);
  REQUIRE(mlirAttributeIsNull(quantFloatRoundModeAttrGet(context, 4)) &&
          mlirAttributeIsNull(quantFloatFakeConvertModeAttrGet(context, -1)) &&
          mlirAttributeIsNull(
              quantFloatFakeConvertReciprocalAttrGet(context, 99)));
  MlirContext noContext = {NULL};
  MlirAttribute none = quantFloatRoundModeAttrGet(noContext, 0);
  REQUIRE(mlirAttributeIsNull(none) && !quantFloatAttributeIsARoundMode(none) &&
          quantFloatFakeConvertModeAttrGetValue(none) == -1);
}

/* quant_float.cast, built as the header documents it. */
static MlirOperation makeCast(MlirContext context, MlirValue input,
                              MlirType result, int64_t opset) {
  MlirOperationState state = mlirOperationStateGet(
      ref("quant_float.cast"), mlirLocationUnknownGet(context));
  MlirNamedAttribute named[2] = {
      mlirNamedAttributeGet(mlirIdentifierGet(context, ref("opset")),
                            mlirIntegerAttrGet(
                                mlirIntegerTypeGet(context, 64), opset)),
      mlirNamedAttributeGet(mlirIdentifierGet(context, ref("round_mode")),
                            quantFloatRoundModeAttrGet(
                                context, QUANT_FLOAT_ROUND_DOWN))};
  mlirOperationStateAddOperands(&state, 1, &input);
  mlirOperationStateAddResults(&state, 1, &result);
  mlirOperationStateAddAttributes(&state, 2, named);
  return mlirOperationCreate(&state);
}

static MlirModule makeModule(MlirContext context, int64_t opset) {
  MlirModule module = mlirModuleCreateParse(
      context, ref("func.func @f(%x: tensor<3xf32>) { return }"));
  REQUIRE(!mlirModuleIsNull(module));
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  int64_t size = 3;
  MlirType result = mlirRankedTensorTypeGet(
      1, &size, quantFloatElementTypeGet(context, QF_FLOAT8E8M0),
      mlirAttributeGetNull());
  mlirBlockInsertOwnedOperation(
      body, 0, makeCast(context, mlirBlockGetArgument(body, 0), result, opset));
  return module;
}

/* quant_float.block_quantize with random bits, built as the header documents
   it. */
static void blocks(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(
      context,
      ref("func.func @f(%x: tensor<4x64xf32>, %r: tensor<4x64xui8>) { return }"));
  REQUIRE(!mlirModuleIsNull(module));
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirValue operands[2] = {mlirBlockGetArgument(body, 0),
                           mlirBlockGetArgument(body, 1)};
  int64_t sizes[2] = {4, 64}, scaleSizes[2] = {4, 2}, block[2] = {1, 32};
  int32_t segments[4] = {1, 0, 0, 1};
  MlirType results[2] = {
      mlirRankedTensorTypeGet(2, sizes,
                              quantFloatElementTypeGet(context, QF_FLOAT4E2M1),
                              mlirAttributeGetNull()),
      mlirRankedTensorTypeGet(2, scaleSizes,
                              quantFloatElementTypeGet(context, QF_FLOAT8E8M0),
                              mlirAttributeGetNull())};
  MlirNamedAttribute named[4] = {
      mlirNamedAttributeGet(mlirIdentifierGet(context, ref("block")),
                            mlirDenseI64ArrayGet(context, 2, block)),
      mlirNamedAttributeGet(mlirIdentifierGet(context, ref("rule")),
                            quantFloatBlockScaleRuleAttrGet(
                                context, QUANT_FLOAT_BLOCK_SCALE_RCEIL)),
      mlirNamedAttributeGet(mlirIdentifierGet(context, ref("round_mode")),
                            quantFloatRoundModeAttrGet(
                                context, QUANT_FLOAT_ROUND_STOCHASTIC)),
      mlirNamedAttributeGet(
          mlirIdentifierGet(context, ref("operandSegmentSizes")),
          mlirDenseI32ArrayGet(context, 4, segments))};
  MlirOperationState state =
      mlirOperationStateGet(ref("quant_float.block_quantize"),
                            mlirLocationUnknownGet(context));
  mlirOperationStateAddOperands(&state, 2, operands);
  mlirOperationStateAddResults(&state, 2, results);
  mlirOperationStateAddAttributes(&state, 4, named);
  mlirBlockInsertOwnedOperation(body, 0, mlirOperationCreate(&state));
  REQUIRE(mlirOperationVerify(mlirModuleGetOperation(module)));
  mlirOperationPrint(mlirModuleGetOperation(module), append, NULL);
  mlirModuleDestroy(module);
}

/* Passes in a context that the caller owns. */
static void passes(MlirContext context) {
  MlirModule module = makeModule(context, 24);
  mlirOperationPrint(mlirModuleGetOperation(module), append, NULL);
  REQUIRE(mlirOperationVerify(mlirModuleGetOperation(module)));
  MlirPassManager manager = mlirPassManagerCreate(context);
  mlirPassManagerAddOwnedPass(
      manager,
      mlirCreateQuantFloatConversionConvertQuantFloatToLinalgPass());
  REQUIRE(mlirLogicalResultIsSuccess(
      mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))));
  mlirPassManagerDestroy(manager);
  mlirOperationPrint(mlirModuleGetOperation(module), append, NULL);

  quantFloatRegisterAllPasses();
  quantFloatRegisterAllPasses();
  manager = mlirPassManagerCreate(context);
  REQUIRE(mlirLogicalResultIsSuccess(mlirParsePassPipeline(
      mlirPassManagerGetAsOpPassManager(manager),
      ref("builtin.module(quant-float-lower-to-cpu)"), append, NULL)));
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
}

static void sessions(void) {
  QuantFloatSession session;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  MlirContext context = quantFloatSessionGetContext(session);
  MlirModule module = makeModule(context, 24);
  QuantFloatModel model;
  MUST(quantFloatModelCreateFromModule(session, module, &model, &lastError));
  mlirModuleDestroy(module);
  MlirModule shared = quantFloatModelGetModule(model);
  mlirOperationPrint(mlirModuleGetOperation(shared), append, NULL);
  MUST(quantFloatModelVerify(model, &lastError));
  /* A change after the model has been verified. */
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(shared));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  mlirOperationSetAttributeByName(
      mlirBlockGetFirstOperation(body), ref("opset"),
      mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), 13));
  QuantFloatError error;
  QuantFloatKernel kernel;
  REQUIRE(quantFloatModelCompile(model, NULL, &kernel, &error) ==
          QUANT_FLOAT_ERROR_MODEL);
  printf("changed: %s\n", quantFloatErrorGetMessage(error));
  MUST(quantFloatErrorDestroy(error));
  MUST(quantFloatModelDestroy(model));

  module = makeModule(context, 13);
  REQUIRE(quantFloatModelCreateFromModule(session, module, &model, &error) ==
          QUANT_FLOAT_ERROR_MODEL);
  printf("wrong opset: %s\n", quantFloatErrorGetMessage(error));
  MUST(quantFloatErrorDestroy(error));
  QuantFloatSession other;
  MUST(quantFloatSessionCreate(NULL, &other, &lastError));
  REQUIRE(quantFloatModelCreateFromModule(other, module, &model, &error) ==
          QUANT_FLOAT_ERROR_ARGUMENT);
  printf("other: %s\n", quantFloatErrorGetMessage(error));
  MUST(quantFloatErrorDestroy(error));
  mlirModuleDestroy(module);
  MUST(quantFloatSessionDestroy(other));
  MUST(quantFloatSessionDestroy(session));
  REQUIRE(quantFloatModelCreateFromModule(session, (MlirModule){NULL}, &model,
                                          &error) == QUANT_FLOAT_ERROR_NULL);
  MUST(quantFloatErrorDestroy(error));
  REQUIRE(!quantFloatSessionGetContext(session).ptr &&
          !quantFloatModelGetModule(model).ptr);
}

int main(void) {
  MlirDialectHandle handle = mlirGetDialectHandle__quant_float__();
  append(mlirDialectHandleGetNamespace(handle), NULL);
  printf("\n");
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirDialectHandleInsertDialect(handle, registry);
  quantFloatRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  REQUIRE(mlirDialectHandleLoadDialect(handle, context).ptr);
  types(context);
  attributes(context);
  blocks(context);
  passes(context);
  mlirContextDestroy(context);
  sessions();
  printf("alive: %zu\n", quantFloatGetNumLiveObjects());
  return 0;
}

// CHECK: {{^}}quant_float{{$}}
// CHECK-NEXT: !quant_float.string
// CHECK-NEXT: !quant_float.unknown
// CHECK-NEXT: !quant_float.opaque<"seq(float)">
// CHECK-NEXT: f4E2M1FN
// CHECK-NEXT: !quant_float.f8UE5M3
// CHECK-NEXT: !quant_float.binary8p4se
// CHECK-NEXT: #quant_float<round_mode up>
// CHECK-NEXT: #quant_float<fakeconvert_mode exact>
// CHECK-NEXT: #quant_float<fakeconvert_reciprocal single>
// CHECK-NEXT: #quant_float<round_mode down>
// CHECK-NEXT: #quant_float<fakeconvert_mode openvino>
// CHECK-NEXT: #quant_float<fakeconvert_reciprocal nearest>
// CHECK-NEXT: #quant_float<round_mode nearest>
// CHECK-NEXT: #quant_float<fakeconvert_mode openvino_reference>
// CHECK-NEXT: #quant_float<fakeconvert_reciprocal openvino>
// CHECK-NEXT: #quant_float<cast_mode openvino>
// CHECK-NEXT: #quant_float<cast_mode quant_float>
// CHECK-NEXT: #quant_float<cast_mode p3109>
// CHECK-NEXT: #quant_float<block_scale_rule floor>
// CHECK-NEXT: #quant_float<scale_layout tile_128x4>
// CHECK-NEXT: #quant_float<scale_order block_first>
// CHECK-NEXT: #quant_float<block_scale_rule ceil>
// CHECK-NEXT: #quant_float<scale_layout tile_8x4>
// CHECK-NEXT: #quant_float<scale_order tensor_first>
// CHECK-NEXT: #quant_float<block_scale_rule even>
// CHECK-NEXT: #quant_float<scale_layout deepgemm_f32>
// CHECK-NEXT: #quant_float<block_scale_rule rceil>
// CHECK-NEXT: #quant_float<scale_layout deepgemm_e8m0>
// CHECK-NEXT: #quant_float<block_scale_rule ceil_exact>
// CHECK-NEXT: #quant_float<scale_layout gfx950>
// CHECK-NEXT: #quant_float<block_scale_rule nearest>
// CHECK-NEXT: #quant_float<scale_layout gfx1250_n32k4>
// CHECK-NEXT: #quant_float<block_scale_rule tosa>
// CHECK-NEXT: #quant_float<block_scale_rule absmax>
// CHECK-NEXT: #quant_float<block_scale_rule deepgemm>
// CHECK-NEXT: #quant_float<block_scale_rule ggml>
// CHECK-NEXT: #quant_float<block_scale_rule transformer_engine>
// CHECK-NEXT: #quant_float<block_scale_rule torchao>
// CHECK-NEXT: #quant_float<block_scale_rule model_optimizer>
// CHECK-NEXT: #quant_float<block_scale_rule compressed_tensors>
// CHECK-NEXT: #quant_float.projection<D1, NearestTiesToEven, SatFinite>
// CHECK-NEXT: #quant_float.projection<D1, NearestTiesToAway, SatPropagate>
// CHECK-NEXT: #quant_float.projection<D1, TowardPositive, SatNone>
// CHECK-NEXT: #quant_float.projection<D1, TowardNegative, SatFinite>
// CHECK: quant_float.block_quantize %{{.*}} block [1, 32] rule rceil round_mode stochastic random(%{{.*}} : tensor<4x64xui8>) : tensor<4x64xf32> to tensor<4x64xf4E2M1FN>, tensor<4x2xf8E8M0FNU>
// CHECK: quant_float.cast %{{.*}} opset 24 round_mode down : tensor<3xf32> to tensor<3xf8E8M0FNU>
// CHECK: linalg.generic
// CHECK: quant_float.cast %{{.*}} opset 24 round_mode down : tensor<3xf32> to tensor<3xf8E8M0FNU>
// CHECK: changed: 'quant_float.cast' op result element type 'f8E8M0FNU' is not accepted by Cast-13
// CHECK: wrong opset: 'quant_float.cast' op result element type 'f8E8M0FNU' is not accepted by Cast-13
// CHECK: other: the module must belong to the session's context
// CHECK: alive: 0
