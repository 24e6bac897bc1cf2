// An extension that exports MLIR's C API, and no Python functions. ir.py calls
// the C API.
#include <Python.h>

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_mlir"};

PyMODINIT_FUNC PyInit__mlir(void) { return PyModule_Create(&definition); }
