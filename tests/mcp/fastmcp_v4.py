"""FastMCP 4. Its argument: `steps.mjs`."""

from contextlib import asynccontextmanager
from dataclasses import asdict

from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from steps import run


class Connected:
    def __init__(self, client):
        self.client = client

    async def revision(self):
        return self.client.protocol_version

    async def tools(self):
        return [dump(tool) for tool in await self.client.list_tools()]

    async def call(self, name, args, timeout=None, on_progress=None):
        result = await self.client.call_tool(
            name, args, timeout=timeout, progress_handler=on_progress, raise_on_error=False
        )
        seen = {
            "content": [dump(block) for block in result.content],
            "structuredContent": result.structured_content,
            "isError": result.is_error,
            "_meta": result.meta,
        }
        # It makes a type of the output schema, and data of that type.
        return {**seen, "data": asdict(result.data)} if result.data is not None else seen

    async def cancel(self, call):
        call.cancel()


def dump(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


@asynccontextmanager
async def connect(server, era, answer=None):
    async def elicit(message, response_type, params, context):
        action, content = answer(message, params.requested_schema)
        return ElicitResult(action=action, content=content)

    if "command" in server:
        transport = StdioTransport(**server, keep_alive=False)
    else:
        transport = StreamableHttpTransport(server["url"], auth=server["token"])
    async with Client(transport, mode=era, elicitation_handler=elicit if answer else None) as client:
        yield Connected(client)


run(connect)
