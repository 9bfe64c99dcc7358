"""The report of bench/peers: tables in Markdown, a picture, and where another server is better than inferd."""

import html

TITLES = {"onnx": "A scikit-learn classifier as ONNX (64 numbers in, 10 out)",
          "python": "The same classifier in scikit-learn, called by a function in Python",
          "forest": "An XGBoost forest (100 trees of depth 6)",
          "image": "A convolution network (3x32x32 pixels, 8 million multiplications)"}
SHORT = {"onnx": "the classifier as ONNX", "python": "the function in Python", "forest": "the forest", "image": "the convolution network"}
BEGIN, END = "<!-- made by bench/peers -->\n", "<!-- end -->"


def microseconds(value):
    """Returns a time in a unit that suits it, with three digits."""
    return f"{value:.3g} µs" if value < 999.5 else f"{value / 1000:.3g} ms" if value < 999500 else f"{value / 1e6:.3g} s"


def whole(value):
    return f"{value:,.0f}"


def megabytes(value):
    return f"{value:,.0f} MB"


def seconds(value):
    return f"{value:.1f} s"


def columns(connections):
    """Returns (heading, value of a result, format, True if more is better) of each figure."""
    most, least = str(max(connections)), str(min(connections))

    def of_load(connection, key):
        return lambda result: result["loads"][connection][key]

    result = [("requests/s", of_load(most, "per_second"), whole, True), ("CPU per request", of_load(most, "cpu_us"), microseconds, False),
              ("p50", of_load(most, "p50_us"), microseconds, False), ("p99", of_load(most, "p99_us"), microseconds, False)]
    if most != least:
        result += [(f"p50 with {least}", of_load(least, "p50_us"), microseconds, False)]
    return result + [("memory", lambda result: result["memory_mb"], megabytes, False), ("start", lambda result: result["start_s"], seconds, False)]


def added(earlier, later):
    """Returns the earlier record with the figures of the later one in their places, and with the higher of the two loads of the machine.
    ValueError if the two were measured differently."""
    for key in ("machine", "seconds", "connections"):
        if earlier[key] != later[key]:
            raise ValueError(f"{key}: the last run had {earlier[key]}, this one has {later[key]}")
    new = {server["name"]: server for server in later["servers"]}
    servers = [server | new.get(server["name"], {}) | {"results": server["results"] | new.get(server["name"], {}).get("results", {})}
               for server in earlier["servers"]]
    return later | {"load_before": max(earlier["load_before"], later["load_before"]), "servers": servers}


def models_of(record):
    return list(record["servers"][0]["results"])


def table(record, model):
    """Returns the lines of one model's table. A server without figures has a row that says why."""
    figures = columns(record["connections"])
    yield "| server | " + " | ".join(heading for heading, *_ in figures) + " |"
    yield "|---" + "|---:" * len(figures) + "|"
    for server in record["servers"]:
        result = server["results"][model]
        if "not_measured" in result:
            cells = ["not measured"] + [""] * (len(figures) - 1)
        else:
            cells = [form(value(result)) for _, value, form, _ in figures]
            if result["loads"][str(max(record["connections"]))]["generator_was_busy"]:
                cells[0] += " *"
        yield f"| {server['name']} | " + " | ".join(cells) + " |"


def is_better(theirs, ours, more):
    """Decides whether a figure is better than ours by more than 5 %, so that noise does not count."""
    return theirs > 1.05 * ours if more else 1.05 * theirs < ours


def better_than_first(record):
    """Yields a line for each figure by which a server is better than the first one, which is inferd."""
    ours, *others = record["servers"]
    for model in models_of(record):
        if "not_measured" in ours["results"][model]:
            continue
        for heading, value, form, more in columns(record["connections"]):
            best = ours["results"][model]
            for server in others:
                result = server["results"][model]
                if "not_measured" not in result and is_better(value(result), value(best), more):
                    yield (f"- **{server['name']}**, {heading}, {SHORT[model]}: {form(value(result))}, {ours['name']} {form(value(best))}.")


def reasons(record):
    """Yields a line for each server and reason why something was not measured, with its models."""
    found = {}
    for server in record["servers"]:
        for model, result in server["results"].items():
            if "not_measured" in result:
                found.setdefault((server["name"], result["not_measured"]), []).append(model)
    for (name, reason), models in found.items():
        yield f"- **{name}** ({', '.join(models)}): not measured: `{' '.join(reason.replace('`', chr(39)).split())}`"


def installation(record):
    yield "| server | versions | size | installed in | set up as |"
    yield "|---|---|---:|---:|---|"
    for server in record["servers"]:
        installed = server["installed"]
        size = megabytes(installed["mb"]) if "mb" in installed else "not measured"
        took = seconds(installed["seconds"]) if "seconds" in installed else "not measured"
        named = ", ".join(f"{package} {version}" for package, version in server["versions"].items()) or "this tree"
        yield f"| {server['name']} | {named} | {size} | {took} | {server['setup']} |"


def markdown(record):
    """Returns all tables."""
    least, most = min(record["connections"]), max(record["connections"])
    lines = [f"{record['date']}, {record['machine']}: one core for the server, one for the generator. Load average of the machine before the run: "
             f"{record['load_before']}. {most} connections, {record['seconds']:g} s each"
             + (f"; \"p50 with {least}\" is with {least} of them." if least < most else "."), ""]
    for model in models_of(record):
        lines += [f"### {TITLES[model]}", "", *table(record, model), ""]
    if any("*" in line for line in lines):
        lines += ["`*`: the generator was the bottleneck, so the server can do more.", ""]
    lines += ["### Where another server is better", "", *(list(better_than_first(record)) or ["No figure is better by more than 5 %."]), ""]
    if missing := list(reasons(record)):
        lines += ["### Not measured", "", *missing, ""]
    lines += ["### Versions, size and set-up", "", *installation(record), ""]
    return "\n".join(lines)


def svg(record):
    """Returns a picture: the CPU time of a request to the first model, one bar for each measured server."""
    model, most = models_of(record)[0], str(max(record["connections"]))
    bars = [(server["name"], server["results"][model]["loads"][most]["cpu_us"]) for server in record["servers"]
            if "not_measured" not in server["results"][model]]
    scale = 440 / max(value for _, value in bars)
    height = 76 + 30 * len(bars)
    text = ", ".join(f"{name} {value:.0f}" for name, value in bars)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" role="img" aria-labelledby="title" font-family="sans-serif" font-size="14">',
             f'  <title id="title">CPU time of one request in microseconds: {html.escape(text)}</title>',
             f'  <rect width="720" height="{height}" rx="8" fill="#ffffff"/>',
             '  <text x="24" y="32" font-size="16" font-weight="bold" fill="#1b1f24">CPU time of one request, in microseconds (less is better)</text>']
    for number, (name, value) in enumerate(bars):
        y, width = 48 + 30 * number, max(2, value * scale)
        color = "#1f6fb4" if number == 0 else "#8a8a8a"
        lines += [f'  <text x="134" y="{y + 14}" text-anchor="end" fill="#1b1f24">{html.escape(name)}</text>',
                  f'  <rect x="146" y="{y}" width="{width:.1f}" height="20" fill="{color}"/>',
                  f'  <text x="{154 + width:.1f}" y="{y + 15}" font-size="13" fill="#1b1f24">{value:.0f}</text>']
    lines += [f'  <text x="24" y="{height - 12}" font-size="12" fill="#57606a">Small scikit-learn classifier over HTTP and JSON, {most} connections, '
              f'one core for the server, {record["date"]}</text>', "</svg>", ""]
    return "\n".join(lines)


def overview(record):
    """Returns a table of the CPU time of a request: a row for each model, a column for each server."""
    most = str(max(record["connections"]))
    lines = ["| CPU time of a request | " + " | ".join(server["name"] for server in record["servers"]) + " |",
             "|---" + "|---:" * len(record["servers"]) + "|"]
    for model in models_of(record):
        results = [server["results"][model] for server in record["servers"]]
        cells = ["not measured" if "not_measured" in result else microseconds(result["loads"][most]["cpu_us"]) for result in results]
        lines.append(f"| {SHORT[model]} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def replace_made(path, text):
    """Replaces what stands between the two marks of a page."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def write_docs(root, record):
    """Writes the figures into docs/servers-compared.md and README.md, and the picture."""
    replace_made(root / "docs" / "servers-compared.md", markdown(record))
    replace_made(root / "README.md", overview(record))
    (root / "docs" / "images" / "servers.svg").write_text(svg(record), encoding="utf-8")
