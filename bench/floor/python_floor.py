"""python_floor.py MODEL.py ELEMENTS: the Python process that python_floor.cc starts."""

import importlib.util
import mmap
import socket
import sys

import numpy

SOCKET, INPUT, OUTPUT = 3, 4, 5


def main():
    spec = importlib.util.spec_from_file_location("model", sys.argv[1])
    model = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(model)
    elements = int(sys.argv[2])
    told = socket.socket(fileno=SOCKET)
    dtype = numpy.dtype("<f4")
    row = numpy.frombuffer(mmap.mmap(INPUT, elements * dtype.itemsize), dtype).reshape((1, elements))
    output = numpy.frombuffer(mmap.mmap(OUTPUT, elements * dtype.itemsize), dtype).reshape((1, elements))
    while message := told.recv(64):
        output[...] = model.predict(row)
        told.send(message)


if __name__ == "__main__":
    main()
