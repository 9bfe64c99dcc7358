"""Local files of models."""

import os


class Storage:
    @staticmethod
    def download(uri, out_dir=None):
        """Returns the path of a local `uri`. The server fetches models, not this: --model-repository also takes
        stores."""
        path = uri.removeprefix("file://")
        if "://" in path:
            raise NotImplementedError(f"'{uri}' is not fetched here: put the files into the model's folder")
        if not os.path.exists(path):
            raise RuntimeError(f"Local path {uri} does not exist.")
        return path
