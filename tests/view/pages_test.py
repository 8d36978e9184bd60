"""Pages of models in a real browser: what they show is what the run computed, and nothing goes wrong.

    python3 tests/view/pages_test.py LMC ROOT [MODELS]

Ends with 77 where there is no browser or no bundle, which counts as skipped.
"""

import base64
import csv
import json
import math
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import browser

LMC, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
HERE = ROOT / "tests" / "view"

# Which columns of a run a shape's places and orientations are: argument of the report, shape, columns.
EXPECTED = {
    "heavy_top": [("turned", "R", "R"), ("at", "tip", "tip")],
    "two_quadrotors": [("turned", "craft", "R"), ("at", "load", "y"), ("at", "path", "y")],
    "pendulum_chain": [("at", "path", "tip")],
    "planar_dipoles": [("at", "molecule", "q"), ("at", "dipole", "q")],
    "dipolar_spheres": [("at", "molecule", "q")],
    "satellite": [("at", "craft", "x"), ("turned", "craft", "R"), ("at", "orbit", "x")],
    "humming_top": [("turned", "top", "B")],
    "heavy_top_quadratic": [("at", "q, R", "q"), ("turned", "q, R", "R")],
    "heavy_top_hamiltonian": [("turned", "R", "R")],
    "energy_test": [("turned", "Q", "Q")],
    "plane": [("at", "p, a", "p")],
    "frames": [("at", "X", "X.x"), ("turned", "X", "X.R")],
    "offset": [("at", "X", "centre"), ("turned", "X", "X.R")],
    "closed_chain": [("at", "x, R", "x"), ("turned", "x, R", "R")],
    "heavy_top_basis": [("at", "tip", "tip")],
    "heavy_top_constrained": [("at", "x, R", "x"), ("turned", "x, R", "R")],
    "rolling_disk": [("at", "x, R", "x"), ("turned", "x, R", "R")],
    "sampled_quadrotor": [("at", "x, R", "x"), ("turned", "x, R", "R")],
    "spherical_pendulum": [("along", "q", "q")],
}
# What a model's own `view` shows, by the arguments that are compared; the page calls the first three places.
COMPARED = {"at": "at", "from": "at", "of": "at", "to": "to", "along": "along", "turned": "turned"}


def pieces(text, at=","):
    """A text at its separators that stand in no bracket."""
    out, depth, start = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == at and depth == 0:
            out.append(text[start:k])
            start = k + 1
    return [x.strip() for x in out + [text[start:]] if x.strip()]


def observed(model, folder):
    """The model with each place and direction of its `view` as an observable of its own; what the page has to show."""
    text = model.read_text(encoding="utf-8")
    plain = re.sub(r"//[^\n]*", "", text)
    found = re.search(r"\bview\s*\{", plain)
    if not found:
        return model, []
    end, depth = found.end(), 1
    while depth > 0:
        depth += (plain[end] == "{") - (plain[end] == "}")
        end += 1
    added, expected = [], []
    for statement in pieces(plain[found.end():end - 1], ";"):
        name, value = (x.strip() for x in statement.split("=", 1))
        index = name[len(name.split("[")[0]):]
        if name == "up" or not re.match(r"\w+\s*\(", value) or index.count(",") > 0:
            continue
        for argument in pieces(value[value.index("(") + 1:-1]):
            key, expression = (x.strip() for x in argument.split("=", 1))
            if key not in COMPARED:
                continue
            column = f"shown{len(added)}"
            added.append(f"  observe {column}{index} = {expression};\n")
            expected.append((COMPARED[key], name.split("[")[0].strip(), column))
    where = plain.rindex("simulate")
    changed = folder / f"observed_{model.name}"
    changed.write_text(plain[:where] + "".join(added) + plain[where:], encoding="utf-8")
    for other in model.parent.glob("*.csv"):  # tables that it reads
        shutil.copy(other, folder / other.name)
    return changed, expected


class Failed(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Failed(message)


def lmc(*arguments, status=0):
    done = subprocess.run([LMC, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
    check(done.returncode == status, f"lmc {arguments} ended with {done.returncode}: {done.stderr}")
    return done


def table(file):
    with open(file, newline="", encoding="utf-8") as f:
        rows = csv.reader(f)
        names = next(rows)
        return names, [[float(x) for x in row] for row in rows]


def matrix(q):
    x, y, z, w = q
    return [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
            2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
            2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]


def compare(name, page, file, expected):
    """Places, orientations and directions at some samples against the columns of the run."""
    names, rows = table(file)
    shown = {round(t, 9) for t in page.value(
        "(() => { const d = JSON.parse(document.getElementById('lmc-data').textContent).scene.times;"
        " return Array.from(new Float64Array(Uint8Array.from(atob(d), c => c.charCodeAt(0)).buffer)); })()")}
    rows = [row for row in rows if round(row[0], 9) in shown]
    check(len(rows) > 1, f"{name}: no sample of the page is one of the run")
    for row in (rows[0], rows[len(rows) // 3], rows[len(rows) * 4 // 5], rows[-1]):
        shapes = json.loads(page.value(f"JSON.stringify(lmc.shapes({row[0]!r}))"))
        for argument, shape, column in expected:
            found = [s for s in shapes if s["name"] == shape and argument in s["members"][0]]
            check(found, f"{name}: there is no shape {shape}")
            values = [row[k] for k, n in enumerate(names) if n == column or n.startswith(column + "[")]
            members = found[0]["members"]
            check(values and len(values) % len(members) == 0, f"{name}: {len(values)} columns {column} for {shape}")
            width = len(values) // len(members)
            for m, member in enumerate(members):
                wanted = values[m * width:(m + 1) * width]
                have = matrix(member["turned"]) if argument == "turned" else member[argument]
                if argument == "turned" and width == 4:
                    wanted = [wanted[0], wanted[1], 0.0, wanted[2], wanted[3], 0.0, 0.0, 0.0, 1.0]
                wanted += [0.0] * (len(have) - len(wanted))
                size = max(1.0, *map(abs, wanted))
                worst = max(abs(a - b) for a, b in zip(have, wanted)) / size
                check(worst < 1e-6, f"{name}: {shape}.{argument} at t = {row[0]} is off by {worst}")


def controls(name, page):
    """Scrubbing, keys, cursors."""
    span = page.value("(() => { lmc.seek(1e300); const b = lmc.time(); lmc.seek(-1e300); return [lmc.time(), b]; })()")
    page.value("(() => { const s = document.querySelector('.scrub'); s.value = '0.5';"
               " s.dispatchEvent(new Event('input')); })()")
    middle = (span[0] + span[1]) / 2
    check(abs(page.value("lmc.time()") - middle) < 1e-9 * max(1, abs(span[1])), f"{name}: scrubbing")
    page.key("ArrowRight", "ArrowRight")
    check(page.value("lmc.time()") > middle, f"{name}: arrow right")
    page.key("ArrowLeft", "ArrowLeft")
    check(abs(page.value("lmc.time()") - middle) < 1e-6 * max(1, abs(span[1])), f"{name}: arrow left")
    page.key(" ", "Space")
    check(page.value("lmc.playing()"), f"{name}: space plays")
    page.frames(3)
    check(page.value("lmc.time()") > middle, f"{name}: playing moves on")
    page.key(" ", "Space")
    check(not page.value("lmc.playing()"), f"{name}: space pauses")
    page.value("document.querySelector('.u-over').scrollIntoView({block: 'center'})")
    box = page.value("(() => { const r = document.querySelector('.u-over').getBoundingClientRect();"
                     " return [r.x, r.y, r.width, r.height]; })()")
    page.move(box[0] + 0.25 * box[2], box[1] + box[3] / 2)
    quarter = span[0] + (span[1] - span[0]) / 4
    check(abs(page.value("lmc.time()") - quarter) < 0.05 * (span[1] - span[0]), f"{name}: a plot's cursor")


def visit(chromium, name, model, folder, options=()):
    page_file, again, run_file = (folder / f"{name}{end}" for end in (".html", "_2.html", "_run.csv"))
    lmc("view", model, "-o", page_file, *options)
    lmc("view", model, "-o", again, *options)
    check(page_file.read_bytes() == again.read_bytes(), f"{name}: two runs make different pages")
    check(page_file.stat().st_size <= 8e6, f"{name}: {page_file.stat().st_size} bytes")
    same, expected = observed(model, folder)
    expected = expected + EXPECTED.get(name, [])
    lmc("run", same, "--output", run_file, "--quiet", *options)
    with chromium.open(page_file) as page:
        check(page.value("document.querySelector('.verdict') !== null"), f"{name}: no verdict")
        check(page.value("lmc.plots()") > 0, f"{name}: no plots")
        check(page.value("document.querySelectorAll('.equation.plain').length") == 0, f"{name}: equations")
        check(page.value(OUTSIDE) == [], f"{name}: outside: {page.value(OUTSIDE)}")
        controls(name, page)
        if page.value("lmc.webgl && lmc.shapes().length > 0"):
            check(expected or name.startswith("other_"), f"{name}: nothing is compared")
            compare(name, page, run_file, expected)
            seen = {}
            for part in (0, 0.5, 1):
                page.value(f"(() => {{ const s = document.querySelector('.scrub'); s.value = '{part}';"
                           " s.dispatchEvent(new Event('input')); })()")
                for shape, pixels in page.value("lmc.pixels()").items():
                    seen[shape] = max(seen.get(shape, 0), pixels)
            for shape, pixels in seen.items():
                check(pixels > 0, f"{name}: nothing is seen of {shape}")
        check(not page.troubles(), f"{name}: {page.troubles()}")


# What stands outside of its place: the page in the window, captions in their plots.
OUTSIDE = ("(() => { const out = []; if (document.documentElement.scrollWidth > innerWidth) out.push('the page');"
           " for (const f of document.querySelectorAll('.plot')) { const r = f.getBoundingClientRect();"
           " for (const e of f.querySelectorAll('figcaption *')) if (e.getBoundingClientRect().right > r.right + 1)"
           " out.push(e.textContent); } return out; })()")


def long_texts(chromium, folder):
    """Texts stand where they belong and do not cover each other, on a screen and on a phone."""
    file = folder / "long.html"
    lmc("view", HERE / "models" / "long.lie", "-o", file)
    for width, mobile in ((1120, False), (400, True)):
        with chromium.open(file, width=width, mobile=mobile) as page:
            check(page.value(OUTSIDE) == [], f"outside: {page.value(OUTSIDE)}")
            page.value("lmc.seek(1e300)")
            page.frames()
            boxes = page.value("[...document.querySelectorAll('.label:not(.axis)')].map(e => { const r ="
                               " e.getBoundingClientRect(); return [r.left, r.right, r.top, r.bottom]; })")
            check(len(boxes) == 2, f"{len(boxes)} labels")
            (a, b) = boxes
            check(a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] + 0.5 or b[3] <= a[2] + 0.5, f"labels: {boxes}")
            check(not page.troubles(), f"long texts: {page.troubles()}")


def phone_and_dark(chromium, file):
    with chromium.open(file, width=400, height=800, dark=True, mobile=True) as page:
        check(page.value("document.documentElement.scrollWidth") <= 400, "the page is wider than a phone")
        check(page.value("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)", "dark")
        check(not page.troubles(), f"on a phone: {page.troubles()}")


def without_webgl(chromium, file):
    with chromium.open(file, webgl=False) as page:
        check(not page.value("lmc.webgl"), "there is WebGL")
        check(page.value("lmc.plots()") > 0, "no plots without WebGL")
        check(page.value("document.querySelectorAll('.katex').length") > 0, "no equations without WebGL")
        found = [t for t in page.troubles() if "WebGL" not in t]
        check(not found, f"without WebGL: {found}")


def failing_run(chromium, folder):
    file = folder / "fails.html"
    lmc("view", HERE / "models" / "fails.lie", "-o", file, status=3)
    with chromium.open(file) as page:
        check("failed" in (page.value("document.querySelector('.banner')?.textContent") or ""), "no red banner")
        end = page.value("(() => { lmc.seek(1e300); return lmc.time(); })()")
        check(0 < end < 3, f"the picture goes to {end}")
        check(all(math.isfinite(x) for x in page.value("lmc.shapes()[0].members[0].at")), "a place that is no number")
        check(not page.troubles(), f"a run that fails: {page.troubles()}")


def numbers_of_any_size(chromium, folder):
    """Plots have the curves of numbers of any size, and of those that hardly differ; their axes have numbers, too."""
    model, file = folder / "sizes.lie", folder / "sizes.html"
    curves = {"near": lambda t: 12345.678 + 1e-4 * math.sin(5 * t), "far": lambda t: 1e200 * math.exp(9 * t), "tiny": lambda t:
              1e-70 * (1 + t), "off": lambda t: 1 + 1e-9 * t, "same": lambda t: 0.1, "zero": lambda t: 0, "plain": math.cos}
    model.write_text("model Sizes { state z : R; flow z = 1; initial z = 0; observe near = 12345.678 + 1e-4*sin(5*z);"
                     " observe far = 1e200*exp(9*z); observe tiny = 1e-70*(1 + z); observe off = 1 + 1e-9*z; observe same = 0.1;"
                     " observe zero = 0*z; observe plain = cos(z); simulate { method = RKMK4; step = 1e-3; time = 0..1; } }")
    lmc("view", model, "-o", file)
    data = data_of(file)
    times = struct.unpack(f"<{len(base64.b64decode(data['plotTimes'])) // 8}d", base64.b64decode(data["plotTimes"]))
    found = {p["title"]: p["series"][0] for p in data["plots"]}
    for name, curve in curves.items():
        raw = base64.b64decode(found[name]["values"])
        values = [found[name].get("from", 0) + found[name].get("unit", 1) * x for x in struct.unpack(f"<{len(raw) // 4}f", raw)]
        expected = [curve(t) for t in times]
        height = max(expected) - min(expected) or abs(expected[0])
        worst = max(abs(a - b) for a, b in zip(values, expected))
        check(worst <= 1e-4 * height, f"{name}: {worst} of {height}")
    with chromium.open(file) as page:
        texts = page.value("(() => { const said = [], p = CanvasRenderingContext2D.prototype, f = p.fillText; p.fillText = function (t,"
                           " ...at) { said.push(t); f.call(this, t, ...at); }; document.querySelector('.theme').click();"
                           " return new Promise(r => setTimeout(() => { p.fillText = f; r(said); }, 300)); })()")
        for tick in ("8e203", "12345.678", "1.0000000005"):
            check(tick in texts, f"no tick {tick}: {texts}")
        check(not page.troubles(), f"numbers of any size: {page.troubles()}")


def text_stays_text(chromium, folder):
    file = folder / "script.html"
    lmc("view", HERE / "models" / "script.lie", "-o", file)
    with chromium.open(file) as page:
        check(page.value("window.broken") is None, "a comment was run")
        check("</script>" in page.value("document.querySelector('.source').textContent"), "the comment is gone")
        check(page.value("document.querySelector('.label:not(.axis)').textContent") == "</script><b>bob</b>", "a label")
        check(not page.troubles(), f"a comment: {page.troubles()}")


def sizes(folder):
    chain = folder / "chain.html"
    lmc("view", ROOT / "examples" / "pendulum_chain.lie", "--set", "N=1000", "--method", "RKMK4", "--step", "1e-3",
        "--tolerance", "none", "--time", "0..0.02", "-o", chain)
    check(chain.stat().st_size <= 8e6, f"a chain of 1000 takes {chain.stat().st_size} bytes")
    many = folder / "many.html"
    lmc("view", ROOT / "examples" / "magnetic_dipoles.lie", "--time", "0..20", "--max-size", "2M", "-o", many)
    check(many.stat().st_size <= 2e6, f"a page of 2 MB takes {many.stat().st_size} bytes")
    data = many.read_text(encoding="utf-8").split('id="lmc-data">', 1)[1].split("</script>", 1)[0]
    check(any("samples" in note for note in json.loads(data)["notes"]), "nothing says that it was thinned")
    spheres = folder / "spheres.html"
    lmc("view", ROOT / "examples" / "dipolar_spheres.lie", "--time", "0..1", "--step", "1e-4", "-o", spheres)
    check(spheres.stat().st_size <= 8e6, f"100 spheres over 10,000 steps take {spheres.stat().st_size} bytes")
    million = folder / "million.html"
    lmc("view", ROOT / "examples" / "spherical_pendulum.lie", "--time", "0..10", "--step", "1e-5", "--every", "1e-5", "-o", million)
    check(million.stat().st_size <= 8e6, f"a million samples take {million.stat().st_size} bytes")


def data_of(file):
    return json.loads(file.read_text(encoding="utf-8").split('id="lmc-data">', 1)[1].split("</script>", 1)[0])


def existing_run(chromium, folder):
    """--data: the page of a file shows what the page of the run shows, and a file of another model is refused."""
    model = ROOT / "examples" / "heavy_top.lie"
    made = folder / "made.html"
    lmc("view", model, "--set", "m=12", "-o", made)
    for ending in ("h5", "npz", "csv"):
        run, page_file = folder / f"run.{ending}", folder / f"of_{ending}.html"
        lmc("run", model, "--set", "m=12", "--output", run, "--quiet")
        lmc("view", model, "--set", "m=12", "--data", run, "-o", page_file)
        own, other = data_of(made), data_of(page_file)
        check(own["scene"]["shapes"] == other["scene"]["shapes"], f"{ending}: another picture")
        check([p for p in own["plots"] if p["title"] != "step size"] == other["plots"], f"{ending}: other plots")
        check(other["verdict"]["text"].startswith(f"1,001 samples of run.{ending}"), other["verdict"]["text"])
        command = next(p["value"] for p in other["provenance"] if p["name"] == "command")
        check(command.endswith(f"heavy_top.lie --set m=12 --data {run}"), command)
        wrong = lmc("view", model, "--data", run, "-o", page_file, status=2).stderr
        check("other parameters" in wrong and "--set" in wrong, wrong)
    with chromium.open(folder / "of_h5.html") as page:
        check(page.value("lmc.plots()") > 0 and not page.troubles(), f"--data: {page.troubles()}")
    changed = folder / "heavy_top.lie"
    changed.write_text(model.read_text(encoding="utf-8") + "// one line more\n", encoding="utf-8")
    wrong = lmc("view", changed, "--set", "m=12", "--data", folder / "run.h5", "-o", made, status=2).stderr
    check("another text of `heavy_top.lie`" in wrong, wrong)
    other = ROOT / "examples" / "spherical_pendulum.lie"
    check("another model" in lmc("view", other, "--data", folder / "run.csv", "-o", made, status=2).stderr, "columns")
    check("no such file" in lmc("view", other, "--data", folder / "none.h5", "-o", made, status=2).stderr, "no file")


def jumps(chromium, folder):
    """Resets: their times are marked, the path has a gap where a body is put elsewhere, and --data knows them, too."""
    model, run, file = HERE / "models" / "jumps.lie", folder / "jumps.csv", folder / "jumps.html"
    lmc("view", model, "-o", file)
    lmc("run", model, "--output", run, "--quiet")
    names, rows = table(run)
    twice = [a[0] for a, b in zip(rows, rows[1:]) if a[0] == b[0]]
    events = data_of(file)["events"]
    check([e["time"] for e in events] == twice, f"{events} instead of {twice}")
    check([e["name"] for e in events] == ["floor", "floor", "floor", "wall"], events)
    facts = {f["name"]: f["value"] for f in data_of(file)["verdict"]["facts"]}
    check((facts["floor"], facts["wall"]) == ("3 times", "once"), facts)
    with chromium.open(file) as page:
        check(page.value("lmc.events()") == 4, "events of the page")
        check("floor, wall" in page.value("document.querySelector('.events').textContent"), "the line above the plots")
        check(page.value("document.querySelectorAll('#lmc-events option').length") == 4, "marks on the bar")
        wall = next(e["time"] for e in events if e["name"] == "wall")
        p1 = names.index("p[1]")
        behind = [row for row in rows if row[0] == wall][1]
        at = page.value(f"lmc.shapes({wall!r}).find(s => s.name == 'p').members[0].at")
        check(abs(at[0] - behind[p1]) < 1e-6, f"at the jump the ball is at {at}")
        before = page.value(f"lmc.shapes({wall - 1e-9!r}).find(s => s.name == 'p').members[0].at")
        check(before[0] > 1.99, f"before the jump the ball is at {before}")
        check(not page.troubles(), f"jumps: {page.troubles()}")
    again = folder / "jumps_data.html"
    lmc("view", model, "--data", run, "-o", again)
    check([e["time"] for e in data_of(again)["events"]] == twice, "--data")


def small_balls(chromium, folder):
    """A ball that is smaller than a pixel is seen, where it is, and the caption says that it is larger."""
    model, file = folder / "balls.lie", folder / "balls.html"
    model.write_text("model Balls { config x[2] : R^3 velocity v; lagrangian = sum(i in 1..2: 0.5*dot(v[i], v[i]));"
                     " initial x[1] = zeros(3); initial x[2] = 4000*e1; initial v[i in 1..2] = 100*e2;"
                     " view { small[i in 1..2] = ball(at = x[i], radius = 0.2); large = ball(at = x[1] + 900*e3, radius = 300); }"
                     " simulate { method = RKMK4; time = 0..10; step = 0.1; } }\n", encoding="utf-8")
    lmc("view", model, "-o", file)
    with chromium.open(file) as page:
        caption = page.value("document.querySelector('.caption').textContent")
        check("Larger than in the model, to be seen: small. " in caption, caption)
        seen = page.value("lmc.pixels()")
        check(seen["small"] > 8, f"{seen}")
        check(not page.troubles(), f"small balls: {page.troubles()}")


def settings_that_make_no_sense(folder):
    """What is known when the run begins only is put right, and said."""
    model, file = folder / "odd.lie", folder / "odd.html"
    model.write_text("model Odd { config x : R^3 velocity v; lagrangian = 0.5*dot(v, v); initial x = zeros(3);"
                     " initial v = e1; view { up = zeros(3); a = ball(at = x, radius = -0.5, opacity = 2);"
                     " b = trail(of = x, last = -1, color = \"rebeccapurple\"); }"
                     " simulate { method = RKMK4; time = 0..1; step = 0.1; } }\n", encoding="utf-8")
    lmc("view", model, "-o", file)
    notes, scene = data_of(file)["notes"], data_of(file)["scene"]
    for words in ("`up` is no direction", "a: radius is negative", "a: opacity is 2, 1 is taken", "b: last is -1, 0 is taken"):
        check(any(words in n for n in notes), f"{words}: {notes}")
    ball = next(s for s in scene["shapes"] if s["name"] == "a")
    radius = struct.unpack("<f", base64.b64decode(ball["arguments"]["radius"]["values"]))[0]
    check((radius, ball["opacity"], "up" in scene) == (0.5, 1, False), f"{radius}, {ball['opacity']}")


def small_energy(folder):
    """An energy of 1e-20 has errors of which a note says how large a part they are."""
    model, file = folder / "small.lie", folder / "small.html"
    model.write_text("model Small { param m = 1e-20; config x : R velocity v; lagrangian = 0.5*m*(v^2 - x^2);"
                     " initial x = 1; simulate { method = RKMK4; time = 0..10; step = 0.5; } }\n", encoding="utf-8")
    lmc("view", model, "-o", file)
    note = next((n for n in data_of(file)["notes"] if "energy" in n), None)
    check(note is not None and "the energy is 5e-21" in note, f"{data_of(file)['notes']}")
    part = float(re.search(r"largest error (\S+) of it", note).group(1))
    # RK4 on an oscillator: each step multiplies the energy by 1 - h^6/72 + h^8/576
    wanted = 1 - (1 - 0.5**6 / 72 + 0.5**8 / 576) ** 20
    check(abs(part - wanted) < 0.02 * wanted, f"{part} instead of {wanted}")
    lmc("view", ROOT / "examples" / "heavy_top.lie", "-o", file)
    check(not any("absolute" in n for n in data_of(file)["notes"]), data_of(file)["notes"])


def measured_bodies(folder):
    """A box of the mass and the moments that the model says, at its centre of mass."""
    for name, lengths in (("offset", (10.5, 4.5, 1.5)), ("frames", (24, 12, 0))):
        file = folder / f"body_{name}.html"
        lmc("view", HERE / "models" / f"{name}.lie", "-o", file)
        shape = next(s for s in data_of(file)["scene"]["shapes"] if s["name"] == "X")
        check(shape["kind"] == "box", f"{name}: a {shape['kind']}")
        sizes_of = struct.unpack("<3f", base64.b64decode(shape["arguments"]["size"]["values"]))
        local = struct.unpack("<4f", base64.b64decode(shape["arguments"]["local"]["values"]))
        along = matrix(local)  # columns: the axes of the box in the frame of the body
        spread = [sum(abs(along[3 * i + k]) * sizes_of[k] for k in range(3)) for i in range(3)]
        wanted = [max(math.sqrt(x), 0.03 * math.sqrt(max(lengths))) for x in lengths]
        check(all(abs(a - b) < 1e-4 for a, b in zip(spread, wanted)), f"{name}: {spread} instead of {wanted}")


def conserved(chromium, folder):
    file = folder / "conserved.html"
    lmc("view", ROOT / "examples" / "spherical_pendulum.lie", "--time", "0..5", "-o", file)
    plot = next((p for p in data_of(file)["plots"] if p["title"] == "conserved quantities"), None)
    check(plot is not None, "nothing is said to be conserved")
    check([s["name"] for s in plot["series"]] == ["rotation of q about e3 (space)"], plot["series"])
    values = struct.unpack(f"<{len(base64.b64decode(plot['series'][0]['values'])) // 4}f",
                           base64.b64decode(plot["series"][0]["values"]))
    check(values[0] == 0 and 0 < max(values) < 1e-6, f"it changes by {max(values)}")
    with chromium.open(file) as page:
        check("conserved quantities" in page.value("document.querySelector('.plots').textContent"), "no such plot")
        check(not page.troubles(), f"conserved quantities: {page.troubles()}")


def refusals(folder):
    model = ROOT / "examples" / "heavy_top.lie"
    check("cannot" in lmc("view", model, "-o", folder / "no" / "page.html", status=2).stderr, "no such folder")
    lmc("view", model, "-o", folder / "page.txt", status=2)
    lmc("view", model, "--max-size", "1k", status=2)
    report = folder / "report.html"
    lmc("run", model, "--report", report, "--output", folder / "report.csv", "--quiet")
    lmc("run", model, "--output", folder / "alone.csv", "--quiet")
    check((folder / "report.csv").read_bytes() == (folder / "alone.csv").read_bytes(), "--report changes the output")
    check(report.stat().st_size > 1e6, "no report")


def main():
    home = pathlib.Path(LMC).resolve().parent.parent / "share" / "lmc" / "view" / "page.html"
    if browser.find_browser() is None or not home.exists():
        print("skipped: there is no", "browser" if home.exists() else f"page ({home})")
        return 77
    check(home.stat().st_size <= 1.2e6, f"the shell takes {home.stat().st_size} bytes")
    failures = 0
    with tempfile.TemporaryDirectory() as name, browser.Browser() as chromium:
        folder = pathlib.Path(name)
        models = sorted((ROOT / "examples").glob("*.lie")) + [HERE / "models" / f"{m}.lie" for m in ("plane", "frames", "offset")]
        others = [m for more in sys.argv[3:] for m in sorted(pathlib.Path(more).glob("*.lie"))]
        tests = [(m.stem, lambda m=m: visit(chromium, m.stem, m, folder)) for m in models]
        tests += [(str(m), lambda m=m: visit(chromium, "other_" + m.stem, m, folder)) for m in others]
        top = folder / "heavy_top.html"
        tests += [("phone", lambda: phone_and_dark(chromium, top)), ("webgl", lambda: without_webgl(chromium, top)),
                  ("long", lambda: long_texts(chromium, folder)),
                  ("fails", lambda: failing_run(chromium, folder)), ("numbers", lambda: numbers_of_any_size(chromium, folder)),
                  ("script", lambda: text_stays_text(chromium, folder)),
                  ("data", lambda: existing_run(chromium, folder)), ("conserved", lambda: conserved(chromium, folder)),
                  ("balls", lambda: small_balls(chromium, folder)),
                  ("energy", lambda: small_energy(folder)),
                  ("bodies", lambda: measured_bodies(folder)),
                  ("jumps", lambda: jumps(chromium, folder)),
                  ("settings", lambda: settings_that_make_no_sense(folder)),
                  ("sizes", lambda: sizes(folder)), ("refusals", lambda: refusals(folder))]
        for label, test in tests:
            try:
                test()
            except (Failed, browser.BrowserError) as error:
                failures += 1
                print(f"FAILED {label}: {error}")
    print(f"{len(tests) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
