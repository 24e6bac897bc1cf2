// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-plan-buffers))" | FileCheck %s

// The third takes the place of the first, which is gone by then.

// CHECK-LABEL: func.func @three(
// CHECK:         %[[ALL:.+]] = memref.alloc() {alignment = 64 : i64} : memref<262144xi8>
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
// CHECK:         memref.view %[[ALL]][%[[ZERO]]][] : memref<262144xi8> to memref<128x256xf32>
// CHECK:         %[[HALF:.+]] = arith.constant 131072 : index
// CHECK:         memref.view %[[ALL]][%[[HALF]]][] : memref<262144xi8> to memref<128x256xf32>
// CHECK-NOT:     memref.dealloc
// CHECK:         %[[AGAIN:.+]] = arith.constant 0 : index
// CHECK:         memref.view %[[ALL]][%[[AGAIN]]][] : memref<262144xi8> to memref<100x300xf32>
// CHECK:         memref.dealloc %[[ALL]]
// CHECK-NOT:     memref.dealloc
func.func @three(%x: memref<128x256xf32>) {
  %a = memref.alloc() : memref<128x256xf32>
  memref.copy %x, %a : memref<128x256xf32> to memref<128x256xf32>
  %b = memref.alloc() : memref<128x256xf32>
  memref.copy %a, %b : memref<128x256xf32> to memref<128x256xf32>
  memref.dealloc %a : memref<128x256xf32>
  %c = memref.alloc() : memref<100x300xf32>
  %part = memref.subview %b[0, 0] [100, 200] [1, 1] : memref<128x256xf32> to memref<100x200xf32, strided<[256, 1]>>
  %to = memref.subview %c[0, 0] [100, 200] [1, 1] : memref<100x300xf32> to memref<100x200xf32, strided<[300, 1]>>
  memref.copy %part, %to : memref<100x200xf32, strided<[256, 1]>> to memref<100x200xf32, strided<[300, 1]>>
  memref.dealloc %b : memref<128x256xf32>
  memref.dealloc %c : memref<100x300xf32>
  return
}

// What is returned, has an unknown size or is little stays.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-4: memref.alloc
// CHECK-NOT:     memref.view
func.func @others(%n: index) -> memref<128x256xf32> {
  %a = memref.alloc() : memref<128x256xf32>
  %b = memref.alloc(%n) : memref<?x1024xf32>
  memref.dealloc %b : memref<?x1024xf32>
  %c = memref.alloc() : memref<256xf32>
  %d = memref.alloc() : memref<256xf32>
  memref.dealloc %c : memref<256xf32>
  memref.dealloc %d : memref<256xf32>
  return %a : memref<128x256xf32>
}
