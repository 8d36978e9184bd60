"""Ctrl-C ends what takes long: compilations, runs, ensembles; and what was begun stays usable."""
import os
import signal
import threading
import time
import unittest

import numpy as np
from support import EXAMPLES, SPRING

import lmc


class Interrupts(unittest.TestCase):
    def interrupted(self, call, seconds=0.3):
        """Calls, sends SIGINT meanwhile; gives the time from the signal to the exception."""
        sent = []

        def send():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(seconds, send)
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                call()
                self.fail("the call has ended by itself")
        finally:
            timer.cancel()
            timer.join()
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        return time.monotonic() - sent[0]

    def test_runs(self):
        m = lmc.compile(SPRING)
        w = m.workspace()
        for call in (lambda: w.run(1e6, every=1e3), lambda: w.record(3e4), lambda: w.run(1e6, callback=lambda s: True)):
            self.assertLess(self.interrupted(call), 5)
            self.assertTrue(np.isfinite(w.state).all())
            self.assertGreater(w.time, 0)  # it stays where it was stopped
            w.reset()
        np.testing.assert_array_equal(w.run(1.0)["x"], m.run(time=(0, 1))["x"])

    def test_ensembles(self):
        m = lmc.compile(SPRING, time=(0, 500))
        self.assertLess(self.interrupted(lambda: m.ensemble(10**6, {"k": "linspace(1, 2)"})), 5)
        self.assertEqual(m.ensemble(3, {"k": "linspace(1, 2)"}).failed, 0)

    def test_compilations(self):
        big = (EXAMPLES / "stewart_platform.lie").read_text()
        self.assertLess(self.interrupted(lambda: lmc.compile(big, cache=False, optimization=3), 0.05), 5)
        self.assertEqual(lmc.compile(SPRING).name, "Spring")

    def test_handlers_of_the_user(self):
        """What the handler of a signal raises passes through; another handler than Python's own is left in its place."""
        class Alarm(Exception):
            pass

        def handler(_number, _frame):
            raise Alarm

        before = signal.signal(signal.SIGINT, handler)
        try:
            w = lmc.compile(SPRING).workspace()
            timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(Alarm):
                w.run(1e6, every=1e3)
            timer.join()
            self.assertIs(signal.getsignal(signal.SIGINT), handler)
        finally:
            signal.signal(signal.SIGINT, before)

    def test_other_threads(self):
        """There are no signals in them; calls work all the same."""
        got = []
        thread = threading.Thread(target=lambda: got.append(lmc.compile(SPRING).ensemble(3, {"k": "linspace(1, 2)"}).failed))
        thread.start()
        thread.join()
        self.assertEqual(got, [0])


if __name__ == "__main__":
    unittest.main()
