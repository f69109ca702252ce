/** Bytes of a text that is left out: content in base64, and no reference, code or name. */
const longest = 64 * 1024;
const quote = 0x22;
const backslash = 0x5c;

/**
 * JSON with an empty text in place of each that is very long: what decides about a resource stands in short ones, and
 * parsing a document of megabytes takes several times its memory. The JSON need not be valid.
 */
export function withoutLongTexts(chunks: readonly Buffer[]): string {
  let size = 0;
  for (const chunk of chunks) size += chunk.length;
  if (size <= longest) return Buffer.concat(chunks).toString();
  const kept: Buffer[] = [];
  /** Where the text began that the place is in: its first part in `kept`, and its bytes so far. */
  let open: { part: number; bytes: number } | undefined;
  let backslashes = 0;
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const at = chunk.indexOf(quote, from);
      const end = at < 0 ? chunk.length : at;
      if (open) {
        open.bytes += end - from;
        backslashes = backslashesBefore(chunk, end, from, backslashes);
        if (open.bytes > longest) kept.length = open.part;
        else kept.push(chunk.subarray(from, end));
        const isClosed = at >= 0 && backslashes % 2 === 0;
        if (at >= 0 && (isClosed || open.bytes <= longest)) kept.push(chunk.subarray(at, at + 1));
        if (isClosed) open = undefined;
      } else {
        kept.push(chunk.subarray(from, at < 0 ? end : at + 1));
        if (at >= 0) open = { part: kept.length, bytes: 0 };
        backslashes = 0;
      }
      if (at >= 0) backslashes = 0;
      from = at < 0 ? chunk.length : at + 1;
    }
  }
  return Buffer.concat(kept).toString();
}

/** The number of backslashes right before a place; `earlier` are those before the piece that begins at `from`. */
function backslashesBefore(chunk: Buffer, end: number, from: number, earlier: number): number {
  let at = end;
  while (at > from && chunk[at - 1] === backslash) at -= 1;
  return end - at + (at === from ? earlier : 0);
}
