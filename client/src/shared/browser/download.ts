/** Parts are handed to the browser, which keeps them on its disk, in pieces of this size. */
const pieceBytes = 4_000_000;
const newline = 10;

/** Downloads a file whose lines are entries, and counts them; `headLines` are not entries. Returns their number. */
export async function downloadLines(
  request: Request,
  { headLines, name, onCount }: { headLines: number; name: string; onCount: (count: number) => void },
): Promise<number> {
  const answer = await fetch(request);
  if (!answer.ok || !answer.body) throw new Error(`status ${answer.status}`);
  const pieces: Blob[] = [];
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let [bytes, lines] = [0, -headLines];
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    waiting.push(part.value);
    bytes += part.value.length;
    for (const byte of part.value) if (byte === newline) lines += 1;
    onCount(Math.max(0, lines));
    if (bytes < pieceBytes) continue;
    pieces.push(new Blob(waiting));
    [waiting, bytes] = [[], 0];
  }
  const file = new Blob([...pieces, ...waiting], { type: answer.headers.get('content-type') ?? '' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return Math.max(0, lines);
}
