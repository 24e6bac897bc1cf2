// A host with another MLIR than the plugin's: it queries the plugin like
// mlir-opt, and calls the returned functions.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

struct Info {
  uint32_t version;
  const char *name, *pluginVersion;
  void (*callback)(void *);
};

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_LAZY | RTLD_GLOBAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  for (int i = 2; i < argc; ++i) {
    struct Info (*function)(void) =
        (struct Info (*)(void))dlsym(library, argv[i]);
    struct Info info = function();
    info.callback(NULL);
    printf("%s, version %u\n", info.name, (unsigned)info.version);
  }
  return 0;
}
