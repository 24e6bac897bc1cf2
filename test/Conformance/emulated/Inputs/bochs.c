// Loaded before bochscpu, whose package has no option to select the CPU, to
// provide a CPU with AVX10.2. Bochs finds the functions in this file first, and
// these call the original ones.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Functions of glibc 2.38, which the package was built with.
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
  return strtoull(text, end, base);
}
int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

static void *bochs;

void useBochs(const char *path) { bochs = dlopen(path, RTLD_NOLOAD | RTLD_LAZY); }

void *sim_get_param_string(const char *name) {
  static const char added[] = "avx_ifma,avx_ne_convert,avx_vnni_int8,"
                              "avx_vnni_int16,avx10_1,avx10_2";
  static void *features;
  if (strcmp(name, "cpu.add_features"))
    return ((void *(*)(const char *))dlsym(bochs, "sim_get_param_string"))(name);
  if (!features)
    features = ((void *(*)(const char *, const char *, unsigned))dlsym(
        bochs, "sim_new_param_string"))("add_features", added, sizeof added);
  return features;
}

void *sim_get_param_enum(const char *name) {
  enum { sapphireRapids = 30 };
  void *found =
      ((void *(*)(const char *))dlsym(bochs, "sim_get_param_enum"))(name);
  if (!strcmp(name, "cpu.model"))
    ((void (*)(void *, long))dlsym(bochs, "_ZN15bx_param_enum_c3setEl"))(
        found, sapphireRapids);
  return found;
}

// The result of CPUID: that of Sapphire Rapids, with additional features.
struct registers {
  unsigned a, b, c, d;
};

void _ZNK17sapphire_rapids_t14get_cpuid_leafEjjP16cpuid_function_t(
    const void *cpu, unsigned leaf, unsigned subleaf,
    struct registers *registers) {
  enum { avx10 = 0x24 };
  if (leaf == avx10) {
    ((void (*)(const void *, unsigned, struct registers *))dlsym(
        bochs, "_ZNK10bx_cpuid_t24get_std_cpuid_avx10_leafEjP16cpuid_function_t"))(
        cpu, subleaf, registers);
    return;
  }
  ((void (*)(const void *, unsigned, unsigned, struct registers *))dlsym(
      bochs, "_ZNK17sapphire_rapids_t14get_cpuid_leafEjjP16cpuid_function_t"))(
      cpu, leaf, subleaf, registers);
  if (leaf == 0 && registers->a < avx10)
    registers->a = avx10;
  if (leaf == 7 && subleaf == 0 && registers->a < 1)
    registers->a = 1;
  if (leaf == 7 && subleaf == 0)
    registers->d |= 1u << 24 | 1u << 25;
  if (leaf == 7 && subleaf == 1) {
    registers->a |= 1u << 23;
    registers->d |= 1u << 4 | 1u << 5 | 1u << 10 | 1u << 19;
  }
}
