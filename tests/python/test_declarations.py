"""Every function and structure of lmc.h has its declaration in Python, of the right types and sizes."""
import ctypes
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import SOURCE

from lmc import _declarations as d
from lmc._library import lib

FOLDER = SOURCE / "compiler/include"
HEADERS = sorted((FOLDER / "lmc").glob("*.h"))


def signatures():
    """name -> (result, arguments), by a reader of its own: line by line, comments away."""
    text = re.sub(r"/\*.*?\*/", "", "".join(h.read_text() for h in HEADERS), flags=re.S)
    found = {}
    text = re.sub(r"^ *#.*$", "", text, flags=re.M)
    for piece in text.split("LMC_C_API")[1:]:
        piece = " ".join(piece.split(";")[0].split())
        head, _, rest = piece.partition("(")
        name = head.split()[-1].lstrip("*")
        result = head[: head.rindex(name)].strip()
        body = rest.rstrip(")").strip()
        found[name] = (result, [] if body == "void" else [a.strip() for a in body.split(",")])
    return found


def expected(argument):
    """Which ctypes types fit an argument of C."""
    stars = argument.count("*")
    words = re.sub(r"[*]", " ", argument).replace("const", " ").split()
    base = words[0]
    if stars == 0:
        plain = {"double": ctypes.c_double, "int": ctypes.c_int, "size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64,
                 "uint64_t": ctypes.c_uint64}
        if base in plain:
            return plain[base]
        named = getattr(d, base, None)
        return named if named is not None else ctypes.c_int  # an enumeration
    if base == "char" and stars == 1:
        return ctypes.c_char_p
    if stars == 2:
        return ctypes.POINTER(ctypes.c_void_p)
    structure = getattr(d, base, None)
    if isinstance(structure, type) and issubclass(structure, ctypes.Structure):
        return ctypes.POINTER(structure)
    whole = {"int": ctypes.c_int, "size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64}
    # Places for one number are typed; arrays and objects are addresses.
    return ctypes.POINTER(whole[base]) if base in whole else ctypes.c_void_p


class Declarations(unittest.TestCase):
    def test_every_function(self):
        header = signatures()
        self.assertGreater(len(header), 110)
        self.assertEqual(set(header), set(d.FUNCTIONS))
        for name, (result, arguments) in header.items():
            with self.subTest(name):
                restype, argtypes = d.FUNCTIONS[name]
                self.assertIs(getattr(lib, name).restype, restype)
                self.assertEqual(list(getattr(lib, name).argtypes), argtypes)
                self.assertEqual(len(argtypes), len(arguments))
                for argument, declared in zip(arguments, argtypes):
                    self.assertEqual(declared, expected(argument), argument)
                if result == "void":
                    self.assertIsNone(restype)
                elif result == "const double*" or result == "double*":
                    self.assertIs(restype, ctypes.c_void_p)
                else:
                    self.assertEqual(restype, expected(result + " x"))

    def test_sizes_and_constants(self):
        """What a C compiler says of structures and enumerations."""
        text = re.sub(r"/\*.*?\*/", "", "".join(h.read_text() for h in HEADERS), flags=re.S)
        structures = re.findall(r"typedef struct (\w+) \{", text)
        self.assertEqual(set(structures), {n for n, t in vars(d).items() if isinstance(t, type) and
                                           issubclass(t, ctypes.Structure) and t is not ctypes.Structure})
        constants = re.findall(r"\b(LMC_[A-Z_]+) = \d+", text)
        self.assertGreater(len(constants), 20)
        lines = [f'printf("{s} %zu\\n", sizeof({s}));' for s in structures]
        for s in structures:
            lines += [f'printf("{s}.{f[0]} %zu\\n", offsetof({s}, {f[0]}));' for f in getattr(d, s)._fields_]
        lines += [f'printf("{c} %zu\\n", (size_t){c});' for c in constants]
        program = ('#include "lmc/lmc.h"\n#include <stdio.h>\nint main(void) {\n' + "\n".join(lines) + "\nreturn 0;\n}\n")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "sizes.c").write_text(program)
            subprocess.run(["cc", "-std=c99", "-I", str(FOLDER), "-o", f"{folder}/sizes", f"{folder}/sizes.c"],
                           check=True)
            said = subprocess.run([f"{folder}/sizes"], check=True, capture_output=True, text=True).stdout
        for line in said.splitlines():
            what, number = line.split()
            if what.startswith("LMC_"):
                self.assertEqual(getattr(d, what), int(number), what)
            elif "." in what:
                structure, member = what.split(".")
                self.assertEqual(getattr(getattr(d, structure), member).offset, int(number), what)
            else:
                self.assertEqual(ctypes.sizeof(getattr(d, what)), int(number), what)

    def test_file_is_what_the_generator_writes(self):
        subprocess.run(["python3", str(SOURCE / "tools/python_declarations.py"), "--check"], check=True)


if __name__ == "__main__":
    unittest.main()
