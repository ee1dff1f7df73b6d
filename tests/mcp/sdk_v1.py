"""The Python SDK before 2026-07-28. Its argument: `steps.mjs`."""

from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

import httpx
from mcp import ClientSession, McpError, StdioServerParameters, stdio_client, types
from mcp.client.streamable_http import streamable_http_client

from steps import run


class Connected:
    def __init__(self, session, revision):
        self.session = session
        self.negotiated = revision

    async def revision(self):
        return self.negotiated

    async def tools(self):
        return dump(await self.session.list_tools())["tools"]

    async def call(self, name, args, timeout=None, on_progress=None):
        request = self.next_request()
        try:
            return dump(await self.session.call_tool(name, args, timeout and timedelta(seconds=timeout), on_progress))
        except McpError as error:
            if error.error.code == httpx.codes.REQUEST_TIMEOUT:
                await self.forget(request)
            raise

    async def cancel(self, call):
        await self.forget(self.next_request() - 1)
        call.cancel()

    # This SDK leaves it to its user to tell the server that nobody waits any more, but gives him no id of a request.

    def next_request(self):
        return self.session._request_id

    async def forget(self, request):
        params = types.CancelledNotificationParams(requestId=request)
        await self.session.send_notification(types.ClientNotification(types.CancelledNotification(params=params)))


def dump(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


@asynccontextmanager
async def connect(server, era, answer=None):
    async def elicit(context, params):
        action, content = answer(params.message, params.requestedSchema)
        return types.ElicitResult(action=action, content=content)

    async with AsyncExitStack() as stack:
        if "command" in server:
            transport = stdio_client(StdioServerParameters(**server))
        else:
            headers = {"Authorization": f"Bearer {server['token']}"}
            http = await stack.enter_async_context(httpx.AsyncClient(headers=headers, timeout=60))
            transport = streamable_http_client(server["url"], http_client=http)
        streams = await stack.enter_async_context(transport)
        session = ClientSession(*streams[:2], elicitation_callback=elicit if answer else None)
        await stack.enter_async_context(session)
        yield Connected(session, (await session.initialize()).protocolVersion)


run(connect)
