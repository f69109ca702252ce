/** The text in pieces of these sizes, which are repeated as often as needed. */
export function piecesOf(text: string, sizes: number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(bytes.subarray(from, from + size));
    from += size;
  }
  return pieces;
}
