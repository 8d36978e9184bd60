"""Locks, leaks, the cost of a call."""
import gc
import threading
import time
import unittest

import numpy as np
from support import EXAMPLES, SPRING

import lmc


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class Resources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = lmc.compile(EXAMPLES / "heavy_top.lie")

    def test_the_lock_is_free(self):
        """This thread goes on while another one is inside a long call."""
        w = self.top.workspace()
        thread = threading.Thread(target=w.step, args=(1e-3, 3_000_000))
        thread.start()
        ticks, longest, last = 0, 0.0, time.thread_time()
        while thread.is_alive():
            ticks += 1
            now = time.thread_time()
            longest, last = max(longest, now - last), now
        thread.join()
        self.assertGreater(ticks, 1000)

    def test_threads_do_not_disturb(self):
        expected = self.top.run(time=(0, 0.2)).numbers
        results = [None] * 4

        def work(k):
            results[k] = self.top.run(time=(0, 0.2)).numbers.copy()
            try:
                self.top.workspace().set("mm", 1)
            except ValueError as error:
                assert "mm" in str(error)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for r in results:
            np.testing.assert_array_equal(r, expected)

    def test_no_leak(self):
        def use(count):
            for _ in range(count):
                w = self.top.workspace()
                R = w["R"]
                w["m"] = 3
                w.step(1e-3)
                del w
                assert R[0, 0] != 0  # its workspace lives as long as the view
        use(2000)
        gc.collect()
        before = resident()
        use(100_000)
        gc.collect()
        self.assertLess(resident() - before, 4e6)

    def test_no_leak_of_runs_and_errors(self):
        spring = lmc.compile(SPRING)

        def use(count):
            for _ in range(count):
                spring.run(time=(0, 0.05))["x"].sum()
                for bad in ("vv", "k[2]"):
                    try:
                        spring.workspace().set(bad, 1)
                    except ValueError:
                        pass
        use(300)
        gc.collect()
        before = resident()
        use(3000)
        gc.collect()
        self.assertLess(resident() - before, 4e6)

    def test_a_call_costs_little(self):
        """All that Python adds to `step(h, 1000)` is what `step(h, 0)` costs."""
        w = self.top.workspace()
        step, best = w.step, 1.0
        for _ in range(50):
            begin = time.perf_counter()
            for _ in range(1000):
                step(1e-3, 0)
            best = min(best, (time.perf_counter() - begin) / 1000)
        self.assertLess(best, 2e-6)


if __name__ == "__main__":
    unittest.main()
