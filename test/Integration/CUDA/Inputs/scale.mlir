// Code as an embedding compiler may have it: a kernel with conversion instructions, and host
// functions that launch it with MLIR's own lowering. Each thread handles four elements, so the
// sizes are multiples of four.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%in: memref<?xf32>, %out: memref<?xi8>, %scale: f32) kernel {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %thread = gpu.thread_id x
      %block = gpu.block_id x
      %threads = gpu.block_dim x
      %before = arith.muli %block, %threads : index
      %number = arith.addi %before, %thread : index
      %first = arith.muli %number, %c4 : index
      %n = memref.dim %in, %c0 : memref<?xf32>
      %is_inside = arith.cmpi slt, %first, %n : index
      scf.if %is_inside {
        %x = "vector.load"(%in, %first) <{alignment = 16 : i64}> : (memref<?xf32>, index) -> vector<4xf32>
        %s = vector.broadcast %scale : f32 to vector<4xf32>
        %y = arith.mulf %x, %s : vector<4xf32>
        %a = vector.extract %y[0] : f32 from vector<4xf32>
        %b = vector.extract %y[1] : f32 from vector<4xf32>
        %c = vector.extract %y[2] : f32 from vector<4xf32>
        %d = vector.extract %y[3] : f32 from vector<4xf32>
        %low = "nvvm.convert.f32x2.to.f8x2"(%b, %a) <{dstTy = f8E4M3FN, relu = false, rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>}> : (f32, f32) -> vector<2xi8>
        %high = "nvvm.convert.f32x2.to.f8x2"(%d, %c) <{dstTy = f8E4M3FN, relu = false, rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>}> : (f32, f32) -> vector<2xi8>
        %encodings = vector.shuffle %low, %high [0, 1, 2, 3] : vector<2xi8>, vector<2xi8>
        "vector.store"(%encodings, %out, %first) <{alignment = 4 : i64}> : (vector<4xi8>, memref<?xi8>, index) -> ()
      }
      gpu.return
    }
  }

  // On the caller's device memory.
  func.func @scale(%in: memref<?xf32>, %out: memref<?xi8>, %scale: f32, %blocks: index) attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %threads = arith.constant 256 : index
    gpu.launch_func @kernels::@scale blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%in : memref<?xf32>, %out : memref<?xi8>, %scale : f32)
    return
  }

  // On its own device memory, with streams and a fill.
  func.func @constant(%out: memref<?xi8>, %value: f32, %n: index, %blocks: index) attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %threads = arith.constant 256 : index
    %one = arith.constant 1.0 : f32
    %start = gpu.wait async
    %in, %allocated = gpu.alloc async [%start] (%n) : memref<?xf32>
    %filled = gpu.memset async [%allocated] %in, %value : memref<?xf32>, f32
    %encodings, %allocated_encodings = gpu.alloc async [%filled] (%n) : memref<?xi8>
    %launched = gpu.launch_func async [%allocated_encodings] @kernels::@scale blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%in : memref<?xf32>, %encodings : memref<?xi8>, %one : f32)
    %copied = gpu.memcpy async [%launched] %out, %encodings : memref<?xi8>, memref<?xi8>
    %freed = gpu.dealloc async [%copied] %in : memref<?xf32>
    %freed_encodings = gpu.dealloc async [%freed] %encodings : memref<?xi8>
    gpu.wait [%freed_encodings]
    return
  }
}
