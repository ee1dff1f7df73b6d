"""The Python SDK since 2026-07-28. Its argument: `steps.mjs`."""

from contextlib import asynccontextmanager

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

from steps import run


class Connected:
    def __init__(self, client):
        self.client = client

    async def revision(self):
        return self.client.protocol_version

    async def tools(self):
        return dump(await self.client.list_tools())["tools"]

    async def call(self, name, args, timeout=None, on_progress=None):
        return dump(await self.client.call_tool(name, args, timeout, on_progress))

    async def cancel(self, call):
        call.cancel()


def dump(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


@asynccontextmanager
async def connect(server, era, answer=None):
    async def elicit(context, params):
        action, content = answer(params.message, params.requested_schema)
        return ElicitResult(action=action, content=content)

    options = {"mode": era, "elicitation_callback": elicit if answer else None}
    if "command" in server:
        async with Client(StdioServerParameters(**server), **options) as client:
            yield Connected(client)
    else:
        headers = {"Authorization": f"Bearer {server['token']}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            async with Client(streamable_http_client(server["url"], http_client=http), **options) as client:
                yield Connected(client)


run(connect)
