"""Exceptions that models raise, with the texts for clients."""


class ModelMissingError(Exception):
    def __init__(self, path):
        super().__init__(path)
        self.path = path

    def __str__(self):
        return self.path


class InferenceError(RuntimeError):
    def __init__(self, reason, status=None, debug_details=None):
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.debug_details = debug_details

    def __str__(self):
        return str(self.reason)


class InvalidInput(ValueError):
    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason

    def __str__(self):
        return str(self.reason)


class ModelNotFound(Exception):
    def __init__(self, model_name=None):
        super().__init__(model_name)
        self.reason = f"Model with name {model_name} does not exist."

    def __str__(self):
        return self.reason


class ModelNotReady(RuntimeError):
    def __init__(self, model_name, detail=None):
        super().__init__(model_name)
        self.model_name = model_name
        self.error_msg = f"Model with name {model_name} is not ready." + (f" {detail}" if detail else "")

    def __str__(self):
        return self.error_msg
