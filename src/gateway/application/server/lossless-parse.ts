import { randomUUID } from 'node:crypto';
import { parse } from 'lossless-json';
import { jsonInTurns } from '../../../platform/values/json-in-turns.js';

/** Characters of a text that is parsed apart. */
const longest = 64 * 1024;

/**
 * Parses JSON without losing the precision of decimals, as `parse` of lossless-json does, which takes half a second for
 * each megabyte of a text: very long ones, the content of documents, are taken out before and put back afterwards.
 */
export function losslessParse(json: string, parseNumber?: (text: string) => unknown): unknown {
  const mark = randomUUID();
  const texts: string[] = [];
  const short = json.length <= longest ? json : withoutLong(json, (text) => `${mark}${texts.push(text) - 1}`);
  const putBack = (_name: string, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(mark)) return value;
    return JSON.parse(`"${texts[Number(value.slice(mark.length))]}"`);
  };
  return parse(short, texts.length > 0 ? putBack : undefined, parseNumber);
}

/** The same in turns of the event loop, for a body that was read already: its parts are known to be few enough. */
export async function losslessInTurns(json: string, parseNumber?: (text: string) => unknown): Promise<unknown> {
  const all = Number.POSITIVE_INFINITY;
  const limits = { levels: all, members: all, items: all, parts: all };
  const { value } = await jsonInTurns(json, limits, (part) => losslessParse(part, parseNumber));
  return value;
}

function withoutLong(json: string, placeFor: (text: string) => string): string {
  let short = '';
  let from = 0;
  for (let open = json.indexOf('"'); open >= 0; ) {
    const close = endOfText(json, open + 1);
    if (close < 0) break;
    // A name stays: it is never that long, and would not be put back.
    if (close - open > longest && !/^\s*:/.test(json.slice(close + 1, close + 100))) {
      short += `${json.slice(from, open + 1)}${placeFor(json.slice(open + 1, close))}`;
      from = close;
    }
    open = json.indexOf('"', close + 1);
  }
  return short + json.slice(from);
}

/** Index of the quotation mark that ends a text; -1 if none does. */
function endOfText(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (before > from && json[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return -1;
}
