/**
 * One change in each of these lines; a line is whole, without its indentation, so that an entry goes with its line.
 *
 * @returns {{ file: string, text: string, before: string, after: string, why: string }[]}
 */
export function same(file, before, after, why, texts) {
  return texts.map((text) => ({ file, text, before, after, why }));
}
