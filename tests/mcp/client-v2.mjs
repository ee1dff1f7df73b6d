// The TypeScript client since 2026-07-28. Its argument: `steps.mjs`.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { run } from "./steps.mjs";

await run(async ({ server, era, answer }) => {
  const capabilities = answer ? { elicitation: {} } : {};
  const client = new Client({ name: "client-v2", version: "1" }, { capabilities, versionNegotiation: { mode: era } });
  if (answer) client.setRequestHandler("elicitation/create", ({ params }) => answer(params));
  const { url, token } = server;
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
    : new StdioClientTransport({ ...server, stderr: "ignore" });
  await client.connect(transport);
  return {
    revision: () => client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools,
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    close: async () => {
      await transport.terminateSession?.();
      await client.close();
    },
  };
});
