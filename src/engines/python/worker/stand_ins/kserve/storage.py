"""Files of models: those that are here already."""

import os


class Storage:
    @staticmethod
    def download(uri, out_dir=None):
        """The path of a local `uri`. Where models come from is the server's matter: --model-repository takes stores, too."""
        path = uri.removeprefix("file://")
        if "://" in path:
            raise NotImplementedError(f"'{uri}' is not fetched here: put the files into the model's folder")
        if not os.path.exists(path):
            raise RuntimeError(f"Local path {uri} does not exist.")
        return path
