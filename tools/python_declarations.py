#!/usr/bin/env python3
"""Writes python/lmc/_declarations.py, the C interface in ctypes, from the headers of C in compiler/include/lmc.

    tools/python_declarations.py            writes the file
    tools/python_declarations.py --check    fails when it is not what would be written
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = [ROOT / "compiler/include/lmc/lmc.h", ROOT / "compiler/include/lmc/ensemble.h"]
TARGET = ROOT / "python/lmc/_declarations.py"

SCALARS = {
    "int": "c_int", "double": "c_double", "size_t": "c_size_t", "int32_t": "c_int32", "int64_t": "c_int64",
    "uint32_t": "c_uint32", "uint64_t": "c_uint64",
}


class Header:
    """What the header declares, in its order."""

    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        self.version = int(re.search(r"#define LMC_API_VERSION (\d+)", text).group(1))
        text = re.sub(r"^\s*#(.*\\\n)*.*$", "", text, flags=re.M)
        text = text.replace('extern "C" {', "").replace("LMC_C_API", " ")
        text = re.sub(r"\s+", " ", text)
        self.enums = {m[1]: self._constants(m[0])
                      for m in re.findall(r"typedef enum \w+ \{(.*?)\} (\w+);", text)}
        self.structs = {m[1]: [self._variable(d) for d in m[0].split(";") if d.strip()]
                        for m in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text)}
        self.opaque = {m for m in re.findall(r"typedef struct (\w+) \1;", text)}
        self.callbacks = {m[1]: (m[0].strip(), self._parameters(m[2]))
                          for m in re.findall(r"typedef ([\w *]+?)\(\*(\w+)\)\((.*?)\);", text)}
        rest = re.sub(r"typedef (enum|struct) \w+ \{.*?\} \w+;|typedef [^;]*;", "", text)
        self.functions = {m[1]: (m[0].strip(), self._parameters(m[2]))
                          for m in re.findall(r"([\w *]+?)\b(lmc_\w+)\((.*?)\);", rest)}

    @staticmethod
    def _constants(body):
        return [(name.strip(), int(value)) for name, value in (c.split("=") for c in body.split(",") if c.strip())]

    @staticmethod
    def _variable(declaration):
        match = re.fullmatch(r"(.*?)(\w+)", declaration.strip())
        return match.group(2), match.group(1).strip()

    def _parameters(self, text):
        return [] if text.strip() == "void" else [self._variable(p) for p in text.split(",")]

    def ctype(self, c, *, inside=False):
        """The name of the ctypes type of a C type. `inside`: of a structure or a callback, where arrays are read."""
        words = c.replace("const", "").replace("*", " * ").split()
        name, stars = words[0], words.count("*")
        if name == "char":
            return {1: "c_char_p", 2: "POINTER(c_void_p)"}[stars]
        if name == "void" or name in self.opaque:
            return {0: "None", 1: "c_void_p", 2: "POINTER(c_void_p)"}[stars]
        if name in self.structs:
            return name if stars == 0 else f"POINTER({name})"
        if name in self.callbacks:
            return name
        scalar = "c_int" if name in self.enums else SCALARS[name]
        if stars == 0:
            return scalar
        if stars == 2:
            return "POINTER(c_void_p)"
        if name == "double" and not inside:
            return "c_void_p"  # an array or a place: addresses cost less than pointers of ctypes
        return f"POINTER({scalar})"


def python_of(h):
    lines = ['"""The C interface (lmc/lmc.h) in ctypes. Written by tools/python_declarations.py: do not edit."""',
             "from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32,",
             "                    c_uint64, c_void_p)",
             "from typing import Any, Dict, List, Tuple", "",
             f"LMC_API_VERSION = {h.version}"]
    for constants in h.enums.values():
        lines += [""] + [f"{name} = {value}" for name, value in constants]
    done = set()

    def need(c):
        name = c.replace("const", "").replace("*", " ").split()[0]
        if name in h.structs:
            structure(name)
        if name in h.callbacks:
            callback(name)

    def structure(name):
        if name in done:
            return
        done.add(name)
        for _, c in h.structs[name]:
            need(c)
        lines.extend(["", "", f"class {name}(Structure):", "    _fields_ = ["])
        lines.extend(f'        ("{n}", {h.ctype(c, inside=True)}),' for n, c in h.structs[name])
        lines.append("    ]")

    def callback(name):
        if name in done:
            return
        done.add(name)
        result, parameters = h.callbacks[name]
        for _, c in parameters:
            need(c)
        # A text that a callback returns is an address, which the caller keeps alive.
        kinds = ["c_void_p" if "char" in result else h.ctype(result)] + [h.ctype(c, inside=True) for _, c in parameters]
        lines.extend(["", f"{name} = CFUNCTYPE({', '.join(kinds)})"])

    for name in h.structs:
        structure(name)
    for name in h.callbacks:
        callback(name)
    lines += ["", "", "#: The result and the arguments of every function.", "FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {"]
    for name, (result, parameters) in h.functions.items():
        # Arrays that are returned are addresses, texts are bytes.
        back = "c_void_p" if "double*" in result.replace(" ", "") else h.ctype(result)
        lines.append(f'    "{name}": ({back}, [{", ".join(h.ctype(c) for _, c in parameters)}]),')
    lines += ["}", ""]
    return "\n".join(lines)


def main():
    text = python_of(Header("\n".join(h.read_text() for h in HEADERS)))
    if "--check" in sys.argv:
        if TARGET.read_text() != text:
            sys.exit(f"{TARGET} is not what tools/python_declarations.py writes: run it")
    else:
        TARGET.write_text(text)


if __name__ == "__main__":
    main()
