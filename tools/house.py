"""The sizes of ARCHITECTURE.md, section 6, and the house rules no linter knows. Exit 1 with one line per breach."""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE_LINES, FUNCTION_LINES, FUNCTION_P95, PARAMETERS, KERNEL_ARGUMENTS, METHODS = 400, 60, 30, 7, 12, 12
BANNED = {"utils", "helpers", "common", "misc", "manager", "core"}
KERNELS = {"kernel", "sweep", "heavy", "inline", "inner", "folded", "lean"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def decorators(function: Function) -> set[str]:
    names = set()
    for decorator in function.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        names.add(target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", ""))
    return names


def length(function: Function) -> int:
    """Lines without decorators and docstring."""
    first = function.body[0]
    docstring = 0
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        docstring = first.end_lineno - first.lineno + 1
    return function.end_lineno - function.lineno + 1 - docstring


def parameters(function: Function) -> list[ast.arg]:
    a = function.args
    return [p for p in a.posonlyargs + a.args + a.kwonlyargs if p.arg not in ("self", "cls")]


def breaches_of(function: Function, where: str, compiled: set[str]) -> list[str]:
    found = []
    is_kernel = bool(decorators(function) & KERNELS) or function.name in compiled
    public = not function.name.startswith("_")
    count = len(parameters(function))
    if length(function) > FUNCTION_LINES:
        found.append(f"{where} {function.name}: {length(function)} lines; a function has at most {FUNCTION_LINES}")
    if is_kernel and count > KERNEL_ARGUMENTS:
        found.append(f"{where} {function.name}: {count} arguments; a kernel has at most {KERNEL_ARGUMENTS}")
    positional = function.args.posonlyargs + function.args.args  # optional ones are keyword-only
    required = [p for p in positional if p.arg not in ("self", "cls")]
    if public and not is_kernel and len(required) > PARAMETERS:
        found.append(f"{where} {function.name}: {len(required)} parameters; a public function has at most {PARAMETERS}")
    missing = [p.arg for p in parameters(function) if p.annotation is None]
    if not is_kernel and where.startswith("src/") and (missing or function.returns is None):
        found.append(f"{where} {function.name}: not annotated ({', '.join(missing) or 'return'})")
    return found


def breaches_in(path: Path, lengths: list[int]) -> list[str]:
    text = path.read_text(encoding="utf-8")
    where = path.relative_to(ROOT).as_posix()
    found = []
    if path.stem in BANNED:
        found.append(f"{where}: no file is called {path.stem}; name the thing it holds")
    if len(text.splitlines()) > FILE_LINES:
        found.append(f"{where}: {len(text.splitlines())} lines; a file has at most {FILE_LINES}")
    tree = ast.parse(text)
    if where.startswith("src/") and ast.get_docstring(tree) is None:
        found.append(f"{where}: has no module docstring")
    nested = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, Function) and decorators(node) & KERNELS
        for inner in ast.walk(node)
        if inner is not node
    }
    compiled = {"_probe"}
    for node in ast.walk(tree):
        if isinstance(node, Function) and node not in nested:
            lengths.append(length(node))
            found += breaches_of(node, f"{where}:{node.lineno}", compiled)
        if isinstance(node, ast.ClassDef):
            methods = [n for n in node.body if isinstance(n, Function) and not n.name.startswith("_")]
            if len(methods) > METHODS:
                found.append(f"{where}:{node.lineno} {node.name}: {len(methods)} methods; at most {METHODS}")
    return found


def main() -> int:
    lengths: list[int] = []
    found = []
    for folder in ("src", "tests", "tools", "examples", "blender_addon"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            found += breaches_in(path, lengths)
    p95 = sorted(lengths)[int(0.95 * len(lengths))] if lengths else 0
    if p95 > FUNCTION_P95:
        found.append(f"95th percentile of function lengths is {p95}; at most {FUNCTION_P95}")
    print("\n".join(found) or f"house: {len(lengths)} functions, 95th percentile {p95} lines")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
