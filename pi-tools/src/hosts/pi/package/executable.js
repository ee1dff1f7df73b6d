// Where npm has put the executable for this platform.
import { createRequire } from "node:module";

const platform = `${process.platform}-${process.arch}`;
const files = { "PLATFORM": "FILE" };

/** What is not there is told when it is run: an extension that throws while it loads ends Pi. */
function find() {
  try {
    return createRequire(import.meta.url).resolve(files[platform]);
  } catch {
    return `an executable for ${platform}`;
  }
}

export default find();
