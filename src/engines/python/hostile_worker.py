"""A worker for hostile_process_test.cc. It behaves well except for one execution: the first one that finds the file
MODEL.hostile, which it removes. For that one, it calls the function named in the file. If the function returns, the
execution is never answered."""

import marshal
import os
import signal
import socket
import struct
import sys
import time

SOCKET, INPUTS, OUTPUTS, READINESS = 3, 4, 5, 6
PATIENCE_MS = 300  # for a hostile worker
OK, UINT8 = 0, 2
line = socket.socket(fileno=SOCKET)


def read(size):
    data = b""
    while len(data) < size:
        part = line.recv(size - len(data))
        if not part:
            os._exit(0)
        data += part
    return data


def receive():
    return marshal.loads(read(struct.unpack("<I", read(4))[0]))


def framed(body):
    return struct.pack("<I", len(body)) + body


def message(*items):
    return framed(marshal.dumps(items, 2))


def send(*items):
    line.sendall(message(*items))


def response(request=0, code=OK, outputs=(), text="", final=True):
    return (request, final, code, text, outputs, (), False)


def done(number, *responses, size=0):
    return message("done", number, size, responses or (response(),))


def output(offset=0, size=4, datatype=UINT8, shape=None, index=0):
    return (index, datatype, (size,) if shape is None else shape, offset, size)


def forever(data):
    while True:
        line.sendall(data)


def stay():
    while True:
        time.sleep(60)


# Framing.
def b_junk_of_four_bytes(number):
    line.sendall(b"\xde\xad\xbe\xef")


def b_four_zeros(number):
    line.sendall(bytes(4))


def b_the_largest_length(number):
    line.sendall(b"\xff\xff\xff\xff")


def b_a_length_above_the_limit(number):
    line.sendall(struct.pack("<I", (1 << 24) + 1))


def b_a_length_at_the_limit_alone(number):
    line.sendall(struct.pack("<I", 1 << 24))


def b_one_byte(number):
    line.sendall(b"x")


def b_half_of_a_length_and_the_end(number):
    line.sendall(b"\x10\x00")
    os._exit(0)


def b_a_length_alone(number):
    line.sendall(struct.pack("<I", 100))


def b_half_of_a_message(number):
    line.sendall(done(number)[:-3])


def b_half_of_a_message_and_the_end(number):
    line.sendall(done(number)[:-3])
    os._exit(0)


def b_half_of_a_message_and_a_socket_that_is_closed(number):
    line.sendall(done(number)[:-3])
    line.close()
    stay()


def b_well_byte_by_byte(number):
    for byte in done(number):
        line.sendall(bytes([byte]))


def b_well_with_half_of_the_next(number):
    line.sendall(done(number) + b"\x10")


def b_well_with_junk_behind(number):
    line.sendall(done(number) + b"\xff\xff\xff\xff")


def b_zeros_without_end(number):
    forever(bytes(1 << 16))


def b_a_message_byte_by_byte_without_end(number):
    line.sendall(struct.pack("<I", 1 << 24))
    while True:
        line.sendall(b"t")
        os.sched_yield()


def b_an_html_page(number):
    forever(b"HTTP/1.1 400 Bad Request\r\n\r\n")


# Invalid values.
def b_a_type_that_there_is_not(number):
    line.sendall(framed(b"\x7b"))


def b_values_in_values(number):
    line.sendall(framed(b"(\x01\x00\x00\x00" * 1000))


def b_more_values_than_bytes(number):
    line.sendall(framed(b"(\xff\xff\xff\x7f"))


def b_a_negative_size(number):
    line.sendall(framed(b"(\xff\xff\xff\xff"))


def b_a_text_beyond_the_end(number):
    line.sendall(framed(b"u\x00\x01\x00\x00x"))


def b_bytes_behind_the_value(number):
    line.sendall(framed(marshal.dumps(("returned", number), 2) + b"N"))


def b_a_million_values(number):
    line.sendall(framed(b"(" + struct.pack("<I", 1 << 20) + b"N" * (1 << 20)))


def b_as_many_values_as_there_may_be(number):
    line.sendall(framed(b"(" + struct.pack("<I", (1 << 18) - 1) + b"N" * ((1 << 18) - 1)))


def b_the_longest_text(number):
    size = (1 << 24) - 5
    line.sendall(framed(b"u" + struct.pack("<I", size) + b"x" * size))


def b_a_number_of_a_thousand_digits(number):
    line.sendall(framed(b"l" + struct.pack("<i", 1000) + b"\x01\x00" * 1000))


# Invalid messages.
def b_no_tuple(number):
    line.sendall(framed(marshal.dumps(5, 2)))


def b_an_empty_tuple(number):
    send()


def b_a_kind_that_there_is_not(number):
    send("hello", 1, 2)


def b_loaded_again(number):
    loaded()


def b_started_again(number):
    send("started")


def b_done_without_a_number(number):
    send("done")


def b_done_with_another_execution(number):
    line.sendall(done(number + 1))


def b_done_with_the_largest_number(number):
    line.sendall(done((1 << 64) - 1))


def b_done_with_a_negative_number(number):
    line.sendall(done(-1))


def b_well_done_twice(number):
    line.sendall(done(number) * 2)


def b_well_a_response_and_failure(number):
    send("responses", number, 0, 1, (response(),))
    line.sendall(b"\xff\xff\xff\xff")


def b_a_response_that_is_none(number):
    send("done", number, 0, ("well",))


def b_a_response_to_another_request(number):
    line.sendall(done(number, response(request=1)))


def b_a_code_that_there_is_not(number):
    line.sendall(done(number, response(code=99)))


def b_a_code_of_64_bits(number):
    line.sendall(done(number, response(code=1 << 32)))


def b_returned_and_never_done(number):
    send("returned", number)


def b_an_ask_of_a_kind_that_there_is_not(number):
    send("ask", 1, "what")


def b_an_ask_with_no_number(number):
    send("ask", "x", "ready", "m", "1")


def b_the_same_call_twice(number):
    for _ in range(2):
        send("ask", 1, "call", number, 0, "m", -1, "", (), (), 0, 0, (), 0, 0, False)


def b_uses_what_it_has_not_asked(number):
    for i in range(1000):
        send("used", i)
        send("cancel", i)


# Invalid use of the shared memory.
def b_more_memory_than_there_is(number):
    line.sendall(done(number, size=1 << 30))


def b_memory_of_a_terabyte_that_is_not_there(number):
    os.ftruncate(OUTPUTS, 1 << 39)
    line.sendall(done(number, response(outputs=(output(size=1 << 38),)), size=1 << 39))


def b_well_a_memory_that_cannot_be_cut_off(number):
    os.ftruncate(OUTPUTS, 1 << 16)
    os.posix_fallocate(OUTPUTS, 0, 1 << 16)
    for file in (OUTPUTS, INPUTS):
        try:
            os.ftruncate(file, 0)
            line.sendall(done(number, response(outputs=(output(size=1 << 16),)), size=1 << 16))
        except PermissionError:
            pass


def b_an_output_beyond_the_memory(number):
    os.posix_fallocate(OUTPUTS, 0, 1 << 16)
    line.sendall(done(number, response(outputs=(output(offset=1 << 16),)), size=1 << 16))


def b_an_output_whose_end_is_beyond_64_bits(number):
    os.posix_fallocate(OUTPUTS, 0, 1 << 16)
    line.sendall(done(number, response(outputs=(output(offset=(1 << 64) - 4, size=8),)), size=1 << 16))


def b_outputs_in_the_same_place(number):
    os.posix_fallocate(OUTPUTS, 0, 1 << 16)
    line.sendall(done(number, response(outputs=(output(size=1 << 16),) * 2), size=1 << 16))


def b_a_datatype_that_there_is_not(number):
    os.posix_fallocate(OUTPUTS, 0, 1 << 16)
    line.sendall(done(number, response(outputs=(output(datatype=1000),)), size=1 << 16))


def b_an_output_of_a_negative_index(number):
    os.posix_fallocate(OUTPUTS, 0, 1 << 16)
    line.sendall(done(number, response(outputs=(output(index=-1),)), size=1 << 16))


def b_inputs_that_are_overwritten(number):
    size = os.fstat(INPUTS).st_size
    os.pwrite(INPUTS, b"\xff" * size, 0)


# Misbehaviour of the process.
def b_leaves(number):
    os._exit(0)


def b_leaves_with_an_error(number):
    os._exit(3)


def b_crashes(number):
    os.kill(os.getpid(), signal.SIGSEGV)


def b_stops(number):
    os.kill(os.getpid(), signal.SIGSTOP)


def b_closes_its_socket(number):
    line.close()
    stay()


def b_sends_no_more(number):
    line.shutdown(socket.SHUT_WR)
    stay()


def b_reads_no_more(number):
    line.shutdown(socket.SHUT_RD)
    stay()


def b_a_child_keeps_the_socket(number):
    if os.fork() == 0:
        stay()
    os._exit(0)


def b_a_child_of_a_child_in_a_session_of_its_own_keeps_the_socket(number):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            stay()
        os._exit(0)
    os.wait()
    os._exit(0)


def b_a_child_answers_junk(number):
    if os.fork() == 0:
        forever(b"junk")
    stay()


def b_never_answers(number):
    stay()


def b_ignores_signals_and_never_answers(number):
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    stay()


def b_writes_into_the_log_without_end(number):
    forever(message("log", 0, "still at it"))


def b_writes_to_its_standard_error_without_end(number):
    while True:
        os.write(2, b"still at it\n" * 100)


def b_asks_without_end_and_reads_nothing(number):
    forever(message("ask", 1, "ready", "m", "1"))


def b_opens_metrics_without_end(number):
    i = 0
    while True:
        i += 1
        send("ask", i, "metric", 0, f"m{i}", "", True, (), ())


def b_loads_models_of_megabytes_and_reads_nothing(number):
    for _ in range(24):
        line.sendall(message("ask", 1, "load", "m", "{}", (("f", b"x" * (8 << 20)),)))
    stay()


def b_the_longest_line_of_the_log_without_end(number):
    forever(message("log", 0, "x" * (8 << 20)))


def b_well_ready_without_being_asked(number):
    ready = socket.socket(fileno=READINESS)
    ready.setblocking(False)
    try:
        while True:
            ready.send(b"0" * 4000)
    except BlockingIOError:
        line.sendall(done(number))


def loaded(patience_ms=PATIENCE_MS):
    send("loaded", patience_ms, False, False, False, False, (), (), 0, False, False, False, False, False, False)


def main():
    hostile = None
    while True:
        order = receive()
        if order[0] == "load":
            hostile = order[1] + ".hostile"
            # On a busy machine, a worker that behaves well may be slow.
            loaded(60_000 if order[1].endswith("behaves") else PATIENCE_MS)
        elif order[0] == "start":
            send("started")
        elif order[0] == "execute":
            if not os.path.exists(hostile):
                line.sendall(done(order[1]))
                continue
            with open(hostile, encoding="ascii") as file:
                name = file.read()
            os.unlink(hostile)
            globals()["b_" + name](order[1])


main()
