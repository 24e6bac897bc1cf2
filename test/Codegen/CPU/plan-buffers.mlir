// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-plan-buffers))" | FileCheck %s

// The third buffer reuses the memory of the first one, which is dead by then.

// CHECK-LABEL: func.func @three(
// CHECK:         %[[ALL:.+]] = memref.alloc() {{.*}}alignment = 64{{.*}} : memref<262144xi8>
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

// Returned buffers and small ones are not planned.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: memref.alloc
// CHECK-NOT:     memref.view
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @others() -> memref<128x256xf32> {
  %a = memref.alloc() : memref<128x256xf32>
  %c = memref.alloc() : memref<256xf32>
  %d = memref.alloc() : memref<256xf32>
  memref.dealloc %c : memref<256xf32>
  memref.dealloc %d : memref<256xf32>
  return %a : memref<128x256xf32>
}

// A branch may contain buffers of its own.

// CHECK-LABEL: func.func @branch(
// CHECK:         scf.if
// CHECK:           %[[ALL:.+]] = memref.alloc() {{.*}}alignment = 64{{.*}} : memref<262144xi8>
// CHECK:           memref.dealloc %[[ALL]]
// CHECK-NOT:       memref.dealloc
func.func @branch(%which: i1) {
  scf.if %which {
    %a = memref.alloc() : memref<128x256xf32>
    %b = memref.alloc() : memref<128x256xf32>
    memref.copy %a, %b : memref<128x256xf32> to memref<128x256xf32>
    memref.dealloc %a : memref<128x256xf32>
    memref.dealloc %b : memref<128x256xf32>
  }
  return
}

// With dynamic sizes, malloc receives the size of all buffers that are live at the same time: the
// first one with the second or the third one.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[N:.+]]: index, %[[M:.+]]: index)
// CHECK-COUNT-3: memref.alloc(
// CHECK:         memref.dealloc
// CHECK:         %[[NONE:.+]] = arith.constant 0
// CHECK:         %[[ROW:.+]] = arith.constant 4096
// CHECK:         %[[A:.+]] = arith.muli %[[ROW]], %[[N]]
// CHECK:         %[[NOW:.+]] = arith.addi %[[NONE]], %[[A]]
// CHECK:         %[[MOST:.+]] = arith.maxui %[[NONE]], %[[NOW]]
// CHECK:         %[[B:.+]] = arith.muli %{{.+}}, %[[M]]
// CHECK:         %[[BOTH:.+]] = arith.addi %[[NOW]], %[[B]]
// CHECK:         arith.maxui %[[MOST]], %[[BOTH]]
// CHECK:         arith.subi %[[BOTH]], %[[B]]
// CHECK:         %[[LIMIT:.+]] = arith.constant 33546240
// CHECK:         %[[BYTES:.+]] = arith.minui %{{.+}}, %[[LIMIT]]
// CHECK:         %[[ROOM:.+]] = memref.alloc(%[[BYTES]]) {{.*}}alignment = 64{{.*}} : memref<?xi8>
// CHECK:         %[[ADDRESS:.+]] = memref.extract_aligned_pointer_as_index %[[ROOM]]
// CHECK:         %[[BITS:.+]] = arith.index_cast %[[ADDRESS]]
// CHECK:         llvm.inline_asm has_side_effects {{.*}} "", "r" %[[BITS]]
// CHECK:         memref.dealloc %[[ROOM]]
// CHECK-NEXT:    return
func.func @dynamic(%n: index, %m: index) {
  %a = memref.alloc(%n) : memref<?x1024xf32>
  %b = memref.alloc(%m) : memref<?x512xf32>
  memref.dealloc %b : memref<?x512xf32>
  %c = memref.alloc(%m) : memref<?x512xf32>
  memref.dealloc %a : memref<?x1024xf32>
  memref.dealloc %c : memref<?x512xf32>
  return
}
