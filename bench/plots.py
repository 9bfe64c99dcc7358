#!/usr/bin/env python3
"""Draws a benchmark's raw numbers: plots.py batching|overload|reload NUMBERS.csv PICTURE.png"""

import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402
from matplotlib import ticker  # noqa: E402

COLORS = {"off": "#8a8a8a", "on": "#1f6fb4", "auto": "#2a9d5c", "floor": "#c9a227", "together": "#d1495b",
          "queue": "#1f6fb4", "limit": "#2a9d5c", "deadline": "#d1495b",
          "quiet": "#2a9d5c", "computing": "#c9a227", "loading": "#d1495b"}


def number(row, column):
    try:
        return float(row[column])
    except ValueError:
        return float("nan")


def ways(rows):
    """Returns {way: rows}, in the order of the file."""
    by_way = {}
    for row in rows:
        by_way.setdefault(row["way"], []).append(row)
    return by_way


def curves(axes, rows, x, y, labels="{}", **style):
    for way, those in ways(rows).items():
        axes.plot([number(row, "at") * x for row in those], [y(row) for row in those], marker="o", markersize=3.5, linewidth=1.4,
                  color=COLORS.get(way), label=labels.format(way), **style)


def plain(value, _):
    return f"{value:g}"


def thousands(row):
    return number(row, "per_s") / 1e3


def milliseconds(column):
    return lambda row: number(row, column) / 1e3


def finish(axes, title, x, y, log=False):
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(True, which="major", linewidth=0.4, alpha=0.6)
    if log:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(plain)
        axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8)


def batching(rows):
    closed = [row for row in rows if row["part"] == "closed"]
    offered = [row for row in rows if row["part"] == "open"]
    figure, ((rate, cpu), (answered, latency)) = pyplot.subplots(2, 2, figsize=(8.6, 6))
    curves(rate, [row for row in closed if row["way"] not in ("floor", "together")], 1, thousands, "batching {}")
    curves(cpu, closed, 1, lambda row: number(row, "cpu_us"))
    for axes in (rate, cpu):
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(plain)
    finish(rate, "rows per second, closed loops", "clients", "thousand rows/s")
    finish(cpu, "server CPU per row", "clients", "microseconds")
    curves(answered, offered, 1e-3, thousands, "batching {}")
    curves(latency, offered, 1e-3, milliseconds("p99_us"), "batching {}")
    finish(answered, "answered, open loops", "thousand rows/s offered", "thousand rows/s")
    finish(latency, "p99, open loops", "thousand rows/s offered", "milliseconds", log=True)
    return figure


def overload(rows):
    offered = [row for row in rows if row["part"] == "open"]
    figure, (rate, failed, latency) = pyplot.subplots(1, 3, figsize=(11, 3.4))
    curves(rate, offered, 1, thousands)
    curves(failed, offered, 1, lambda row: 100 * (1 - number(row, "answered") / max(number(row, "due"), 1)))
    curves(latency, offered, 1, milliseconds("p99_us"))
    finish(rate, "answered", "offered, times capacity", "thousand rows/s")
    finish(failed, "refused or dropped", "offered, times capacity", "percent")
    finish(latency, "p99 of answered requests", "offered, times capacity", "milliseconds", log=True)
    return figure


def reload(rows):
    figure, axes = pyplot.subplots(figsize=(6, 3.4))
    by_way = ways(row for row in rows if row["part"] == "round")
    for way, shift in (("quiet", -0.27), ("computing", 0), ("loading", 0.27)):
        those = by_way.get(way, [])
        places = [number(row, "at") + shift for row in those]
        axes.bar(places, [number(row, "p99_us") / 1e3 for row in those], width=0.25, color=COLORS[way], label=f"{way}, p99")
        axes.plot(places, [number(row, "p50_us") / 1e3 for row in those], "_", color="black", markersize=9,
                  label="p50" if way == "quiet" else None)
    axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    finish(axes, "one model, while another is loaded and unloaded", "round", "milliseconds")
    return figure


def main():
    name, numbers, picture = sys.argv[1:]
    with open(numbers, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    figure = {"batching": batching, "overload": overload, "reload": reload}[name](rows)
    figure.tight_layout()
    figure.savefig(picture, dpi=100)
    print(f"plot: {picture}")


if __name__ == "__main__":
    main()
