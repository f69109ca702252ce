import { Transform } from 'node:stream';

/**
 * Characters that may follow a base URL inside of an address; any other ends the base: `/r4` is no prefix of `/r4b`.
 */
const segmentCharacter = 'A-Za-z0-9._~%-';

/**
 * Replaces one FHIR base by another wherever it stands in JSON text: full URLs, links, absolute references, attachments.
 * Works on the text, so that nothing else of a resource changes (parsing would lose the precision of decimals), and
 * also where the server writes slashes as `\/`.
 */
export class BaseUrl {
  private readonly whole: RegExp;
  private readonly inside: RegExp;
  private readonly longest: number;
  /** The other base as a pattern of `replace`, which costs half as much as a function. */
  private readonly replacement: string;

  constructor(
    from: string,
    private readonly to: string,
  ) {
    this.replacement = to.replaceAll('$', '$$$$');
    const base = from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('/', '\\\\?/');
    this.whole = new RegExp(`${base}(?![${segmentCharacter}])`, 'g');
    // In the middle of a stream the following character must have arrived already.
    this.inside = new RegExp(`${base}(?=[^${segmentCharacter}])`, 'g');
    this.longest = from.length + (from.split('/').length - 1) + 1;
  }

  text(text: string): string {
    return text.replace(this.whole, this.replacement);
  }

  /** The same for a body of any length, in constant memory. Addresses are ASCII, so bytes need not be decoded to find them. */
  stream(): Transform {
    let held = '';
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const [ready, rest] = this.ready(held + chunk.toString('latin1'));
        held = rest;
        done(null, Buffer.from(ready, 'latin1'));
      },
      flush: (done) => done(null, Buffer.from(this.text(held), 'latin1')),
    });
  }

  /** Returns the text that can be passed on, and the end of the text, in which a base may have begun. */
  private ready(text: string): [string, string] {
    let ready = '';
    let from = 0;
    for (const match of text.matchAll(this.inside)) {
      ready += text.slice(from, match.index) + this.to;
      from = match.index + match[0].length;
    }
    const hold = Math.max(from, text.length - this.longest);
    return [ready + text.slice(from, hold), text.slice(hold)];
  }
}
