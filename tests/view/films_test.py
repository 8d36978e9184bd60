"""Scenes for other viewers, stills and films: what is in the files is what the run computed.

    python3 tests/view/films_test.py LMC ROOT

Ends with 77 where there is no browser, no ffmpeg or no bundle, which counts as skipped.
"""

import csv
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from xml.etree import ElementTree

import browser

LMC, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
VALIDATOR = "const v = require('gltf-validator'), fs = require('fs'); for (const f of process.argv.slice(1))" \
            " v.validateBytes(new Uint8Array(fs.readFileSync(f))).then(r => console.log(JSON.stringify(r.issues)));"


class Failed(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Failed(message)


def lmc(*arguments, status=0, environment=None):
    done = subprocess.run([LMC, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False,
                          env=environment)
    check(done.returncode == status, f"lmc {arguments} ended with {done.returncode}: {done.stderr}")
    return done


class Glb:
    """A glTF file, read by the words of its specification."""

    def __init__(self, file):
        data = file.read_bytes()
        magic, version, length = struct.unpack("<III", data[:12])
        check(magic == 0x46546C67 and version == 2 and length == len(data), "the header")
        size, kind = struct.unpack("<II", data[12:20])
        check(kind == 0x4E4F534A, "the first chunk is not JSON")
        self.json = json.loads(data[20:20 + size])
        rest = data[20 + size:]
        check(struct.unpack("<II", rest[:8]) == (len(rest) - 8, 0x004E4942), "the second chunk")
        self.bytes = rest[8:]

    def numbers(self, index):
        a = self.json["accessors"][index]
        view = self.json["bufferViews"][a["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
        check(a["componentType"] == 5126, "numbers are float32")
        flat = struct.unpack_from(f"<{a['count'] * width}f", self.bytes, view["byteOffset"])
        return [flat[k:k + width] for k in range(0, len(flat), width)]

    def node(self, name):
        return [n["name"] for n in self.json["nodes"]].index(name)

    def motion(self, name, path):
        """Times and values of a node; of what does not move once."""
        node = self.node(name)
        for channel in self.json["animations"][0]["channels"]:
            if channel["target"] == {"node": node, "path": path}:
                sampler = self.json["animations"][0]["samplers"][channel["sampler"]]
                return [t for t, in self.numbers(sampler["input"])], self.numbers(sampler["output"])
        return None, [self.json["nodes"][node][path]]


def table(file):
    with open(file, newline="", encoding="utf-8") as f:
        rows = csv.reader(f)
        names = next(rows)
        return [dict(zip(names, map(float, row))) for row in rows]


def matrix(q):
    x, y, z, w = q
    return [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
            2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
            2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]


def turned(q, v):
    m = matrix(q)
    return [sum(m[3 * i + k] * v[k] for k in range(3)) for i in range(3)]


def close(name, a, b, bound=1e-6):
    worst = max(abs(x - y) for x, y in zip(a, b))
    check(worst < bound * max(1, *map(abs, b)), f"{name} is off by {worst}")


def scene_for_others(folder):
    model = ROOT / "examples" / "two_quadrotors.lie"
    file, again, run = folder / "q.glb", folder / "again.glb", folder / "q.csv"
    lmc("view", model, "-o", file, "--speed", "0.5", "--every", "0.05")
    lmc("view", model, "-o", again, "--speed", "0.5", "--every", "0.05")
    check(file.read_bytes() == again.read_bytes(), "two runs make different files")
    lmc("run", model, "--output", run, "--quiet", "--every", "0.05")
    glb, rows = Glb(file), table(run)
    times, load = glb.motion("load", "translation")
    check(len(times) == len(rows), f"{len(times)} samples of {len(rows)}")
    close("the last time, in seconds of showing", [times[-1]], [rows[-1]["t"] / 0.5])
    for k in (0, len(rows) // 3, len(rows) - 1):
        close("the load", load[k], [rows[k][f"y[{i}]"] for i in (1, 2, 3)])
        for m in (1, 2):
            turn = glb.motion(f"craft {m}", "rotation")[1][k]
            close(f"craft {m}", matrix(turn), [rows[k][f"R[{m}][{i}][{j}]"] for i in (1, 2, 3) for j in (1, 2, 3)])
            # A rod from the craft to the load: along y of its node, as long as the two are apart.
            begin, length = glb.motion(f"link {m}", "translation")[1][k], glb.motion(f"link {m}", "scale")[1]
            length = length[k if len(length) > 1 else 0][1]
            end = [a + b for a, b in zip(begin, turned(glb.motion(f"link {m}", "rotation")[1][k], [0, length, 0]))]
            close(f"link {m}", end, load[k])
    # e3 points down in this model: the root turns -e3 to y.
    close("up", turned(glb.json["nodes"][0]["rotation"], [0, 0, -1]), [0, 1, 0])
    mesh = glb.json["nodes"][glb.node("path")]["mesh"]
    path = glb.json["meshes"][mesh]["primitives"][0]
    check(path["mode"] == 3 and len(glb.numbers(path["attributes"]["POSITION"])) == len(rows), "the trail")
    others = [file]
    for name in ("heavy_top", "pendulum_chain", "magnetic_dipoles", "planar_dipoles", "satellite"):
        others.append(folder / f"{name}.glb")
        lmc("view", ROOT / "examples" / f"{name}.lie", "-o", others[-1], "--max-seconds", "20")
        Glb(others[-1])
    modules = pathlib.Path(LMC).resolve().parent.parent / "view" / "node_modules"
    if (modules / "gltf-validator").exists():
        done = subprocess.run(["node", "-e", VALIDATOR, *map(str, others)], capture_output=True, text=True, check=True,
                              timeout=120, env={**os.environ, "NODE_PATH": str(modules)})
        for line in done.stdout.splitlines():
            issues = json.loads(line)
            check(issues["numErrors"] == 0 and issues["numWarnings"] == 0, f"the validator of Khronos: {issues}")


def pixels(file):
    """Width, height and the colours of a PNG of 8 bits."""
    data = file.read_bytes()
    check(data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG")
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    check(depth == 8 and color in (2, 6), "another sort of PNG")
    n = 3 if color == 2 else 4
    raw, stride = zlib.decompress(packed), n * width
    rows, before = [], bytearray(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            a, b, c = line[x - n] if x >= n else 0, before[x], before[x - n] if x >= n else 0
            p = a + b - c
            near = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            line[x] = (line[x] + (0, a, b, (a + b) // 2, near)[kind]) & 255
        rows.append(line)
        before = line
    return width, height, [tuple(r[k:k + 3]) for r in rows for k in range(0, stride, n)]


def stills(folder):
    model = ROOT / "examples" / "two_quadrotors.lie"
    begin, end, sheet = folder / "begin.png", folder / "end.png", folder / "sheet.pdf"
    lmc("view", model, "-o", begin, "--at", "0", "--size", "240x160")
    lmc("view", model, "-o", end, "--size", "240x160")
    lmc("view", model, "-o", sheet, "--size", "240x160")
    width, height, first = pixels(begin)
    check((width, height) == (480, 320), f"a still of {width} x {height}")
    last = pixels(end)[2]
    check(sum(a != b for a, b in zip(first, last)) > 500, "the begin looks like the end")
    orange = sum(r > 180 and 110 < g < 190 and b < 90 for r, g, b in last)
    check(orange > 30, "the load is not to be seen")
    check(sheet.read_bytes().startswith(b"%PDF"), "no PDF")


def drawings(folder):
    """A still as SVG has the faces where the PNG of the same size has the pixels."""
    model = ROOT / "examples" / "two_quadrotors.lie"
    drawing, again, still = folder / "q.svg", folder / "q2.svg", folder / "q.png"
    for file in (drawing, again, still):
        lmc("view", model, "-o", file, "--at", "1", "--size", "360x240")
    check(drawing.read_bytes() == again.read_bytes(), "two runs make different drawings")
    space = "{http://www.w3.org/2000/svg}"
    root = ElementTree.parse(drawing).getroot()
    check((root.tag, root.get("width"), root.get("height")) == (space + "svg", "360", "240"), root.attrib)
    texts = ["".join(t.itertext()) for t in root.iter(space + "text")]
    check(texts[0].split() == ["TwoQuadrotors", "t", "=", "1"] and texts[-3:] == ["e1", "e2", "e3"], texts)

    def orange(red, green, blue):  # the load
        return red > 70 and 0.55 * red < green < 0.85 * red and blue < 60

    corners = []
    for path in root.find(space + "svg").iter(space + "path"):
        fill = re.search(r"fill: ?rgb\((\d+), ?(\d+), ?(\d+)\)", path.get("style", ""))
        if fill and orange(*map(int, fill.groups())):
            numbers = [float(x) for x in re.findall(r"-?[\d.]+", path.get("d"))]
            corners += zip(numbers[::2], numbers[1::2])
    check(len(corners) > 100, f"{len(corners)} corners of the load")
    width, height, found = pixels(still)
    places = [(k % width, k // width) for k, c in enumerate(found) if orange(*c)]
    places = [p for p in places if p[0] > 96 * width / 360]  # the axes in the corner have such a colour, too
    for axis, size, extent in ((0, width, 360), (1, height, 240)):
        drawn = [c[axis] + extent / 2 for c in corners]
        seen = [p[axis] * extent / size for p in places]
        for edge in (min, max):
            check(abs(edge(drawn) - edge(seen)) < 2, f"the load reaches to {edge(drawn)}, in pixels to {edge(seen)}")
    many = lmc("view", ROOT / "examples" / "pendulum_chain.lie", "--set", "N=400", "--method", "RKMK4", "--step", "1e-3",
               "--tolerance", "none", "--time", "0..0.01", "-o", folder / "many.svg", status=3).stderr
    check("faces, more than 60000" in many and ".png" in many, many)
    check(not (folder / "many.svg").exists(), "a file of nothing")


def framing(folder):
    """Bodies are seen whole: a cube that stands on a corner, a cylinder that lies askew, axes."""
    shapes = {"box": "[1, 1, 1]", "cylinder": "[1, 1, 1]", "frame": "[1, 1, 1]"}
    for shape, size in shapes.items():
        model = folder / "whole.lie"
        model.write_text("model Whole { config R : SO(3) velocity w; lagrangian = 0.5*dot(w, w);"
                         " initial R = SO(3).exp([0.7, 0.5, 0.2]); simulate { method = RKMK4; time = 0..1; step = 0.1; }"
                         f" view {{ b = {shape}(at = zeros(3), turned = R, size = {size}); floor = ground(height = -9); }} }}\n")
        still = folder / "whole.png"
        lmc("view", model, "-o", still, "--size", "400x400")
        width, height, found = pixels(still)
        dark = [(k % width, k // width) for k, c in enumerate(found) if max(c) - min(c) > 60]
        dark = [p for p in dark if p[0] > width // 4 or p[1] < 3 * height // 4]  # but for the axes in the corner
        check(len(dark) > 1000, f"{shape}: {len(dark)} pixels")
        for axis, extent in ((0, width), (1, height)):
            least, most = min(p[axis] for p in dark), max(p[axis] for p in dark)
            check(least > 2 and most < extent - 3, f"{shape} reaches from {least} to {most} of {extent}")


def hue(red, green, blue):
    """The colour of a body in any light; nothing where there is little of one."""
    most, least = max(red, green, blue), min(red, green, blue)
    if most - least < 40:
        return None
    if most == red:
        angle = (green - blue) / (most - least)
    else:
        angle = 2 + (blue - red) / (most - least) if most == green else 4 + (red - green) / (most - least)
    return 60 * angle % 360


def drawings_hide_what_is_behind(folder):
    """Faces of an SVG are in an order in which what is in front hides the rest, as in the pixels, which have depths."""
    models = [ROOT / "tests" / "view" / "models" / "crossing.lie"]
    models += [ROOT / "examples" / f"{m}.lie" for m in ("cardan_joint", "stewart_platform", "two_quadrotors", "bricard")]
    for model in models:
        drawing, seen, still = (folder / f"{model.stem}{end}" for end in (".svg", "_svg.png", ".png"))
        for file in (drawing, still):
            lmc("view", model, "-o", file, "--size", "360x240")
        with browser.Browser() as chromium, chromium.open(drawing, width=360, height=240) as page:
            page.screenshot(seen, whole=False)
        width, height, faces = pixels(seen)
        wide, _, depths = pixels(still)
        compared = wrong = 0
        for y in range(2, height - 2):
            for x in range(2, width - 2):
                around = [hue(*depths[2 * (y + j) * wide + 2 * (x + i)]) for j in (-2, 0, 2) for i in (-2, 0, 2)]
                if None in around or max(around) - min(around) > 12:
                    continue  # near an edge
                compared += 1
                found = faces[y * width + x]
                own = hue(*found)  # nothing: a line, or the ground where a body should be
                wrong += min(found) > 180 if own is None else abs((own - around[4] + 180) % 360 - 180) > 12
        check(compared > 60, f"{model.stem}: {compared} pixels of bodies")
        check(wrong <= 0.002 * compared, f"{model.stem}: {wrong} of {compared} pixels show another body")


def films(folder):
    model = ROOT / "examples" / "heavy_top.lie"
    for ending, codec in (("webm", "vp9"), ("mp4", "h264"), ("gif", "gif"), ("apng", "apng")):
        file = folder / f"top.{ending}"
        lmc("view", model, "-o", file, "--time", "0..0.1", "--speed", "0.1", "--fps", "12", "--size", "161x120")
        probe = ["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-of", "json", "-show_entries",
                 "stream=codec_name,width,height,nb_read_frames,r_frame_rate", str(file)]
        stream = json.loads(subprocess.run(probe, capture_output=True, check=True, timeout=60).stdout)["streams"][0]
        check(stream["codec_name"] == codec, f"{ending}: {stream}")
        check((stream["width"], stream["height"]) == (160, 120), f"{ending}: {stream}")
        check(stream["nb_read_frames"] == "13", f"{ending}: {stream}")  # 0.1 s ten times slower, 12 a second, both ends
        if ending != "gif":
            check(stream["r_frame_rate"] == "12/1", f"{ending}: {stream}")
    file = folder / "top.webp"
    lmc("view", model, "-o", file, "--time", "0..0.1", "--speed", "0.1", "--fps", "12", "--size", "160x120")
    data = file.read_bytes()
    check(data[:4] == b"RIFF" and data[8:12] == b"WEBP" and data.count(b"ANMF") == 13, "webp")


def refusals(folder):
    model = ROOT / "examples" / "heavy_top.lie"
    check("1280x720" in lmc("view", model, "-o", folder / "a.png", "--size", "big", status=2).stderr, "--size")
    check("takes a time" in lmc("view", model, "-o", folder / "a.png", "--at", "now", status=2).stderr, "--at")
    for outside in ("99", "-1"):
        words = lmc("view", model, "-o", folder / "a.png", "--at", outside, status=2).stderr
        check("outside of the run, which goes from 0 to 1" in words, words)
    check(not (folder / "a.png").exists(), "a still that was refused")
    check("cannot" in lmc("view", model, "-o", folder / "no" / "a.glb", status=2).stderr, "no such folder")
    check(".mp4" in lmc("view", model, "-o", folder / "a.avi", status=2).stderr, "the endings")
    alone = dict(os.environ, PATH=str(folder))
    alone.pop("LMC_BROWSER", None)
    words = lmc("view", model, "-o", folder / "a.png", status=70, environment=alone).stderr
    check("apt install chromium-headless-shell" in words, words)
    alone["LMC_BROWSER"] = browser.find_browser()
    words = lmc("view", model, "-o", folder / "a.mp4", status=70, environment=alone).stderr
    check("apt install ffmpeg" in words, words)
    alone = dict(os.environ, LMC_BROWSER=str(folder / "no browser"))
    words = lmc("view", model, "-o", folder / "a.png", status=70, environment=alone).stderr
    check("there is no program" in words and "LMC_BROWSER" in words and "defect" not in words, words)
    alone["LMC_BROWSER"] = shutil.which("true")
    words = lmc("view", model, "-o", folder / "a.png", status=70, environment=alone).stderr
    check("LMC_BROWSER names another" in words and "defect" not in words, words)
    for name, option, words in (("a.html", "--at", "--at is for stills"), ("a.glb", "--size", "--size is for stills"),
                                ("a.mp4", "--at", "--at is the time of a still")):
        said = lmc("view", model, "-o", folder / name, option, "0.5" if option == "--at" else "64x64", status=2).stderr
        check(words in said, said)
    said = lmc("view", model, "-o", folder / "odd.gif", "--fps", "4", "--size", "65x64").stderr
    check("even number of pixels: 64x64" in said, said)
    check("8192" in lmc("view", model, "-o", folder / "a.png", "--size", "9000x9000", status=2).stderr, "how large")
    words = lmc("view", model, "-o", folder / "a.gif", "--fps", "1e9", "--size", "64x64", status=2).stderr
    check("pictures" in words and "--fps" in words and not (folder / "a.gif").exists(), words)
    none = folder / "none.lie"
    none.write_text("model M { state s : SL(2); flow s = [1, 0, 0]; initial s = eye(2);"
                    " simulate { method = RKMK4; time = 0..1; step = 0.1; } }\n", encoding="utf-8")
    check("no picture" in lmc("view", none, "-o", folder / "none.glb", status=3).stderr, "a model without a picture")


def main():
    home = pathlib.Path(LMC).resolve().parent.parent / "share" / "lmc" / "view" / "page.html"
    missing = [what for what, there in (("browser", browser.find_browser()), ("ffmpeg", shutil.which("ffprobe")),
                                        (str(home), home.exists())) if not there]
    if missing:
        print("skipped: there is no", ", ".join(missing))
        return 77
    failures = 0
    tests = (scene_for_others, stills, framing, drawings, drawings_hide_what_is_behind, films, refusals)
    with tempfile.TemporaryDirectory() as name:
        for test in tests:
            try:
                test(pathlib.Path(name))
            except (Failed, subprocess.SubprocessError) as error:
                failures += 1
                print(f"FAILED {test.__name__}: {error}")
    print(f"{len(tests) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
