/** Content that is not what FHIR calls base64Binary. */
export class BrokenContent extends Error {}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '/': '/' };
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Decodes base64 that stands in a JSON text, piece by piece as it arrives: with escapes (`\/`, `\n`, `\u002b`), and
 * with whitespace anywhere (FHIR R4 §base64Binary). Throws {@link BrokenContent} for anything else.
 */
export class Base64Text {
  /** Characters that wait for more: part of an escape, or of a group of four. */
  private rest = '';
  private isPadded = false;

  /** Decodes what can be decoded with a further piece of the text between the quotation marks. */
  decode(piece: string): Buffer {
    let text = this.rest + piece;
    this.rest = '';
    if (text.includes('\\')) {
      const [cut = ''] = /\\(?:u[0-9A-Fa-f]{0,3})?$/.exec(text) ?? [];
      this.rest = cut;
      text = text.slice(0, text.length - cut.length).replace(/\\(?:u([0-9A-Fa-f]{4})|(.))/gs, unescaped);
    }
    const plain = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
    if (!base64.test(plain) || (this.isPadded && plain !== '')) throw new BrokenContent('no base64');
    const whole = plain.length - (plain.length % 4);
    this.rest = plain.slice(whole) + this.rest;
    this.isPadded ||= plain.endsWith('=') && whole === plain.length;
    return Buffer.from(plain.slice(0, whole), 'base64');
  }

  /** Throws {@link BrokenContent} if the content is cut off. */
  end(): void {
    if (this.rest !== '') throw new BrokenContent('base64 that is cut off');
  }
}

function unescaped(sequence: string, hexadecimal: string | undefined, character: string | undefined): string {
  const found =
    hexadecimal === undefined ? escapes[character ?? ''] : String.fromCharCode(Number.parseInt(hexadecimal, 16));
  if (found === undefined) throw new BrokenContent(`the escape ${sequence}`);
  return found;
}
