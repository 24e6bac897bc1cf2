import ctypes

from .ir import CALLBACK, Context, call, string


class PassManager:
    def __init__(self, handle):
        self.handle = handle

    @classmethod
    def parse(cls, pipeline):
        handle = call("mlirPassManagerCreate", Context.current.handle)
        messages = []
        write = CALLBACK(lambda part, _: messages.append(part.data[: part.length]))
        passes = call("mlirPassManagerGetAsOpPassManager", handle)
        result = call(
            "mlirParsePassPipeline", passes, string(pipeline), write, None, returns=ctypes.c_int8
        )
        if not result:
            raise ValueError(b"".join(messages).decode())
        return cls(handle)

    def run(self, operation):
        if not call("mlirPassManagerRunOnOp", self.handle, operation.handle, returns=ctypes.c_int8):
            raise ValueError("a pass failed")
