"""Makes the AOTInductor packages in tests/models/torch: python make_torch_packages.py FOLDER, with PyTorch 2.13.0 and g++.

They are for any processor of x86_64, with what debuggers need left out, and compressed: PyTorch stores members as they are.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

os.environ["TORCHINDUCTOR_CPP_MARCH"] = "x86-64"
os.environ["ATEN_CPU_CAPABILITY"] = "default"

import torch  # noqa: E402
import torch.fx.experimental._config as shapes  # noqa: E402
from torch.export import Dim, export  # noqa: E402


class Linear(torch.nn.Module):
    """Rows of two numbers, as many as are given: what relu leaves of x * weight + bias, and the sums of the rows."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 3)
        with torch.no_grad():
            self.linear.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]]))
            self.linear.bias.copy_(torch.tensor([0.5, 0.25, 0.0]))

    def forward(self, x):
        return torch.relu(self.linear(x)), x.sum(1)


class Keyed(torch.nn.Module):
    """Two arrays of two by three, the second by its name; the answer's parts have names, and one is a constant."""

    def __init__(self):
        super().__init__()
        self.register_buffer("constant", torch.tensor([7.0, 8.0]))

    def forward(self, x, *, scale):
        return {"scaled": x * scale, "constant": self.constant}


class Writes(torch.nn.Module):
    """Doubles what it is given, in its place."""

    def forward(self, x):
        x.mul_(2)
        return x + 1


def strip(code):
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(code)
        file.flush()
        subprocess.run(["strip", "--strip-unneeded", file.name], check=True)
        return pathlib.Path(file.name).read_bytes()


@shapes.patch(backed_size_oblivious=True)  # else the code is for two rows or more
def make(folder, name, model, args, kwargs=None, dynamic_shapes=None):
    program = export(model.eval(), args, kwargs, dynamic_shapes=dynamic_shapes)
    out = pathlib.Path(folder, name, "model.pt2")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        package = torch._inductor.aoti_compile_and_package(program, package_path=f"{work}/model.pt2")
        with zipfile.ZipFile(package) as whole, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as kept:
            for member in whole.namelist():
                content = whole.read(member)
                kept.writestr(zipfile.ZipInfo(member), strip(content) if member.endswith(".so") else content,
                              zipfile.ZIP_DEFLATED)


def main(folder):
    rows = {0: Dim("rows", min=1, max=1024)}
    make(folder, "compiled", Linear(), (torch.ones(3, 2),), dynamic_shapes=(rows,))
    make(folder, "compiled_keyed", Keyed(), (torch.ones(2, 3),), {"scale": torch.ones(2, 3)})
    make(folder, "compiled_writes", Writes(), (torch.ones(3, 2),), dynamic_shapes=(rows,))


if __name__ == "__main__":
    main(sys.argv[1])
