// A Pi extension that appends entries to the session, as others do: `/journal TYPE JSON`, and `/journal TYPE` for one that
// has no data.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
  pi.registerCommand("journal", {
    description: "Append an entry to the session",
    handler: async (args) => {
      const [customType = "", ...data] = args.trim().split(" ");
      pi.appendEntry(customType, data.length > 0 ? JSON.parse(data.join(" ")) : undefined);
    },
  });
}
