# Errors in a page are detected: each of these blocks fails with the reason.
# RUN: %python %s %t %src_root %obj_root %llvm_bin
import pathlib
import shutil
import sys

from documentation.examples import Page

folder, source, build, llvm = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
CAST = "%1 = quant_float.cast %0 opset {} : tensor<?xf32> to tensor<?xf8E5M2>"
IDENTITY = "func.func @f(%arg0: f32) -> f32 {\n  return %arg0 : f32\n}"
WRONG = {
    "sh, exit code": ("```sh\nfalse\n```", "exits with 1"),
    "sh, no such script": ("```sh\nscripts/gone.sh\n```", "is no program"),
    "console, output": ("```console\n$ echo one\ntwo\n```", "prints\none"),
    "console, exit code": ("```console\n$ false\n```", "exits with 1"),
    "mlir, not valid": (f"```mlir\n{CAST.format(18)}\n```", "is not accepted by Cast-13"),
    "mlir, an expected error that does not occur": (
        f'<!-- example: error="must" -->\n```mlir\n{CAST.format(19)}\n```',
        "expected the error 'must', but got ''",
    ),
    "mlir, passes": (
        f'```mlir\n{IDENTITY}\n```\n<!-- example: passes="--cse" -->\n```mlir\n{IDENTITY} \n```',
        "the tools make",
    ),
    "an excerpt": (
        "<!-- example: from=README.md -->\n```cpp\nint main() {}\n```",
        "README.md has no",
    ),
    "a difference, added": (
        "<!-- example: from=README.md -->\n```diff\n+int main() {}\n```",
        "README.md has no",
    ),
    "a difference, taken away": (
        "<!-- example: from=README.md -->\n```diff\n-# quant-float\n```",
        "README.md still has",
    ),
    "python": ("```python\nassert 1 == 2\n```", "AssertionError"),
    "pycon": ("```pycon\n>>> 1 + 1\n3\n```", "Expected:\n    3\nGot:\n    2"),
    "json": ("```json\n{,}\n```", "Expecting property name"),
    "a language": ("```rust\nfn main() {}\n```", "no test builds this block"),
}
RIGHT = [
    "```sh\ntest -f README.md && ! test -f gone\n```",
    "```console\n$ printf 'a\\nb c d\\n'\n...\nb ... d\n```",
    f"```mlir\n{CAST.format(19)}\n%2 = quant_float.cast %0 opset 19 : f32 to f16\n```",
    "<!-- example: file=a.txt -->\n```text\nhello\n```\n```console\n$ cat a.txt\nhello\n```",
]


def run(text):
    path = folder / "page.md"
    path.write_text(f"# Page\n\n{text}\n")
    page = Page(path, source, build, llvm, folder / "scratch")
    page.run()
    return "\n".join(page.failures)


failures = []
for name, (text, message) in WRONG.items():
    found = run(text)
    if message not in found:
        failures.append(f"{name}: expected '{message}', but got '{found}'")
found = run("\n\n".join(RIGHT))
if found:
    failures.append(f"valid blocks: {found}")
sys.exit("\n".join(failures) if failures else 0)
