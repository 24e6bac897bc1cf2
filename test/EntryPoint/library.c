// The metadata of a shared library suffices to call it without its header.
// RUN: rm -rf %t && mkdir %t
// RUN: quant-float-compile %S/Inputs/convert.mlir -o %t/convert.so --cpu host
// RUN: quant-float-compile %S/Inputs/two.mlir -o %t/two.so --cpu x86-64 --triple x86_64-linux-gnu
// RUN: %clang -std=c11 -Wall -Wextra -Werror -I %src_root/include %s -ldl -o %t/read
// RUN: %t/read %t/convert.so | FileCheck %s --check-prefix=CONVERT
// RUN: %if host-x86_64 %{ %t/read %t/two.so | FileCheck %s --check-prefix=TWO %}
//
// Nothing else is exported. The library calls its own functions even if the
// process defines others of the same names.
// RUN: %llvm_bin/llvm-nm -D --defined-only %t/convert.so | FileCheck %s --check-prefix=EXPORTED
// RUN: %llvm_bin/llvm-readelf -d %t/two.so | FileCheck %s --check-prefix=SYMBOLIC
//
// Objects have no such metadata, so that a program can link two of them.
// RUN: quant-float-compile %S/Inputs/convert.mlir -o %t/convert.o
// RUN: quant-float-compile %S/Inputs/two.mlir -o %t/two.o
// RUN: %llvm_bin/llvm-nm %t/convert.o %t/two.o | not grep qf_get_library
// RUN: %clang -shared %t/convert.o %t/two.o -o %t/both.so
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "quant-float-c/EntryPoint.h"

static void print(const char *kind, const qf_argument *argument) {
  printf("  %s '%s' %d:", kind, argument->name, argument->dtype);
  for (int32_t i = 0; i < argument->rank; ++i)
    printf(" %lld", (long long)argument->sizes[i]);
  printf("\n");
}

int main(int argc, char **argv) {
  void *object = dlopen(argv[argc - 1], RTLD_NOW);
  if (!object) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  const qf_library *(*get)(void);
  *(void **)&get = dlsym(object, "qf_get_library");
  if (!get)
    return 3;
  const qf_library *library = get();
  printf("version %u, %s, by %.11s\n", library->version,
         library->size == sizeof *library ? "whole" : "cut", library->producer);
  printf("target '%s' chip '%s' timing %d\n", library->target, library->chip,
         library->start_timing || library->stop_timing);
  printf("triple %s\ncpu %s\n", library->triple, library->cpu);
  for (int32_t i = 0; i < library->num_entries; ++i) {
    const qf_entry *entry = &library->entries[i];
    char sizes[200];
    strcat(strcpy(sizes, entry->symbol), "_output_sizes");
    printf("%s '%s' %d\n", entry->symbol, entry->graph_name,
           (void *)entry->run == dlsym(object, entry->symbol) &&
               (void *)entry->output_sizes == dlsym(object, sizes));
    for (int32_t j = 0; j < entry->num_inputs; ++j)
      print("input", &entry->inputs[j]);
    for (int32_t j = 0; j < entry->num_outputs; ++j)
      print("output", &entry->outputs[j]);
  }
  return 0;
}

// CONVERT: version 1, whole, by quant-float
// CONVERT-NEXT: target 'cpu' chip '' timing 0
// CONVERT-NEXT: triple {{.+-linux-gnu}}
// CONVERT-NEXT: cpu {{.+}}
// CONVERT-NEXT: convert 'a */ graph' 1
// CONVERT-NEXT:   input 'x in' 1: -1 4
// CONVERT-NEXT:   input '' 21: 3
// CONVERT-NEXT:   output 'y' 10: -1 4
// CONVERT-NEXT:   output '' 21: 3
// CONVERT-NOT: {{.}}

// TWO: cpu x86-64{{$}}
// TWO-NEXT: first '' 1
// TWO-NEXT:   input '' 1:{{$}}
// TWO-NEXT:   output '' 16:{{$}}
// TWO-NEXT: second '' 1

// EXPORTED: T convert
// EXPORTED-NEXT: T convert_output_sizes
// EXPORTED-NEXT: T qf_get_library
// EXPORTED-NOT: {{.}}

// SYMBOLIC: SYMBOLIC
