"""python_call.py MODEL.py ELEMENTS: measures the cost of one call of a model's predict() with a row of ELEMENTS floats, in microseconds of
CPU: in a loop, and every 100 us. The python engine's own cost is compared with it."""

import importlib.util
import sys
import time

import numpy


def in_a_loop(call):
    calls, start = 0, time.process_time_ns()
    while (used := time.process_time_ns() - start) < 500_000_000:
        for _ in range(64):
            call()
        calls += 64
    return used / calls / 1000


def alone(call):
    calls, used = 1500, 0
    for _ in range(calls):
        time.sleep(0.0001)
        start = time.thread_time_ns()
        call()
        used += time.thread_time_ns() - start
    return used / calls / 1000


def main():
    spec = importlib.util.spec_from_file_location("model", sys.argv[1])
    model = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(model)
    row = numpy.random.default_rng(1).random((1, int(sys.argv[2])), numpy.float32)
    call = lambda: model.predict(row)
    print(sys.argv[2], in_a_loop(call), alone(call))


if __name__ == "__main__":
    main()
