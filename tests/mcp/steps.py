"""What a client in Python does with the bundles `lab` and `outside`, whatever SDK it is written with: as `steps.mjs`."""

import asyncio
import json
import os
import sys
import time
from pathlib import Path


async def step(name, action):
    try:
        saw = {"result": await action()}
    except Exception as error:
        saw = {"thrown": {"code": getattr(getattr(error, "error", None), "code", None), "message": told(error)}}
    print(json.dumps({"step": name, **saw}), flush=True)


def told(error):
    """The error, with those that it stands for."""
    return "; ".join([repr(error), *map(told, getattr(error, "exceptions", []))])


async def until(condition):
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if condition():
            return True
        await asyncio.sleep(0.01)
    return False


def runs(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


async def ended(file, call, end=None):
    """A call that lasts until something ends it: by then its process, whose id it leaves in the file, should be gone."""
    calling = asyncio.create_task(call({"command": f"echo $$ > {file}.new; mv {file}.new {file}; exec sleep 100"}))
    if end is not None:
        await until(file.exists)
        await end(calling)
    try:
        outcome = {"result": await calling}
    except (Exception, asyncio.CancelledError) as error:
        outcome = {"message": told(error)}
    pid = int(file.read_text())
    return {**outcome, "gone": await until(lambda: not runs(pid))}


async def closed(connecting, leave=None):
    """The process of a server is gone when its client has closed, also when a call is left."""
    async with connecting as client:
        result = await client.call("whoami", {})
        pid = result["_meta"]["io.github.pi-tools/details"]["pid"]
        left = asyncio.create_task(leave(client)) if leave else None
        await asyncio.sleep(0.2 if leave else 0)
        start = time.monotonic()
    took = time.monotonic() - start
    if left:
        left.cancel()
        await asyncio.wait([left])
    return {"milliseconds": took * 1000, "gone": await until(lambda: not runs(pid))}


def run(connect):
    """`connect(server, era, answer)` is a context manager of a client with `revision`, `tools`, `call` and `cancel`.

    `answer` takes what the user is asked; a client without it cannot ask.
    """
    asyncio.run(steps(connect, **json.loads(sys.argv[1])))


async def steps(connect, lab, outside, era, folder):
    folder = Path(folder)
    async with connect(lab, era) as client:
        await step("revision", client.revision)
        await step("list", client.tools)
        await step("call", lambda: client.call("greeting", {"name": "Ada"}))
        await step("structured", lambda: client.call("chart", {}))
        await step("refused", lambda: client.call("greeting", {"nane": "Ada"}))
        await step("unknown", lambda: client.call("greetign", {}))
        await step("error", lambda: client.call("soft_failure", {}))
        await step("panic", lambda: client.call("panics", {"secret": "hunter2"}))

        async def progress():
            told = []

            async def on_progress(progress, total, message):
                told.append({"progress": progress, "message": message})

            command = "for n in 1 2 3; do echo $n; sleep 0.2; done"
            result = await client.call("shell", {"command": command}, on_progress=on_progress)
            return {"told": told, "result": result}

        await step("progress", progress)
        await step("cancel", lambda: ended(folder / "cancel", lambda args: client.call("shell", args), client.cancel))
        await step("timeout", lambda: ended(folder / "timeout", lambda args: client.call("shell", args, timeout=1.5)))

        def meet(name):
            wait = f"until [ $(ls {folder} | grep -c meet-) = 4 ]; do sleep 0.02; done"
            return client.call("shell", {"command": f"touch {folder}/meet-{name}; {wait}; echo {name}"}, timeout=10)

        # Each waits for all, so they end only if they run at the same time.
        await step("parallel", lambda: asyncio.gather(*map(meet, "abcd")))

        answer = None

        async def asked(tool, args, action, content=None):
            nonlocal answer
            questions = []

            def answer(message, schema):
                questions.append({"message": message, "requestedSchema": schema})
                [field] = schema["properties"]
                return action, {field: content} if action == "accept" else None

            return {"questions": questions, "result": await asking.call(tool, args)}

        async with connect(outside, era, lambda *question: answer(*question)) as asking:
            await step("confirm", lambda: asked("ask", {"kind": "confirm"}, "accept", True))
            await step("select", lambda: asked("ask", {"kind": "select"}, "accept", "green"))
            await step("input", lambda: asked("ask", {"kind": "input"}, "decline"))
            await step("editor", lambda: asked("ask", {"kind": "editor"}, "cancel"))
            await step("allowed", lambda: asked("remove", {"path": "a"}, "accept", True))
            await step("forbidden", lambda: asked("remove", {"path": "a"}, "decline"))
        async with connect(outside, era) as other:
            await step("cannot ask", lambda: other.call("ask", {"kind": "confirm"}))
            await step("not allowed", lambda: other.call("remove", {"path": "a"}))

    if "command" in lab:
        await step("close", lambda: closed(connect(lab, era)))
        stubborn = lambda client: client.call("stubborn", {})
        await step("close while a call runs", lambda: closed(connect(lab, era), stubborn))
    else:

        async def refused():
            async with connect({**lab, "token": "wrong"}, era):
                pass

        await step("no token", refused)
