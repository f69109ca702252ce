import { Transform } from 'node:stream';

/** A server has a handful of links, of some hundred characters. */
const longestLinks = 64 * 1024;

export type RewriteLink = (url: string) => string | undefined;

/** The links of a Bundle with those to other pages rewritten, or left out; the rest is as it was. */
export function rewrittenLinks(links: unknown, rewrite: RewriteLink): unknown[] {
  return (Array.isArray(links) ? links : []).flatMap((link) => {
    const { relation, url } = (link ?? {}) as { relation?: unknown; url?: unknown };
    // A `self` link is no page; clients show it but do not follow it.
    if (relation === 'self') return [link];
    const rewritten = typeof url === 'string' ? rewrite(url) : undefined;
    return rewritten === undefined ? [] : [rewritten === url ? link : { ...link, url: rewritten }];
  });
}

/**
 * Rewrites the links of a Bundle of any length while it passes, in constant memory. Only the Bundle's own are touched: what
 * stands in a resource may have been written by an app, and must not become a link that the gateway vouches for.
 */
export function linkStream(rewrite: RewriteLink): Transform {
  const scanner = new LinkScanner(rewrite);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      try {
        done(null, Buffer.from(scanner.pass(chunk.toString('latin1')), 'latin1'));
      } catch (error) {
        done(error as Error);
      }
    },
    // Text that ended amid its links is held back: it is no JSON with or without them.
    flush: (done) => done(),
  });
}

const inText = /["\\]/g;
const outsideOfText = /["{}[\]:,]/g;
/**
 * Matches content that matters only in the outermost object, with all texts whose end has arrived: most of an answer
 * at once.
 */
const deepInside = /(?:[^"{}[\]]+|"[^"\\]*")*/y;

/** Follows JSON text just closely enough to find the member `link` of the outermost object. */
class LinkScanner {
  private depth = 0;
  private inText = false;
  private escaped = false;
  /** The beginning of the text read last in the outermost object: a member's name, when a colon follows. */
  private name = '';
  private member = '';
  /** The links so far, while inside of them. */
  private held: string | undefined;

  constructor(private readonly rewrite: RewriteLink) {}

  /** Returns the arrived text that can be passed on. Each character is a byte. */
  pass(text: string): string {
    let ready = '';
    let from = 0;
    for (let at = 0; at < text.length; ) {
      const found = this.next(text, at);
      if (found === undefined) break;
      at = found + 1;
      const event = this.step(text[found] ?? '');
      if (event === 'links begin') {
        ready += text.slice(from, found);
        from = found;
        this.held = '';
      } else if (event === 'links end') {
        ready += this.rewritten((this.held ?? '') + text.slice(from, at));
        from = at;
        this.held = undefined;
      }
    }
    if (this.held === undefined) return ready + text.slice(from);
    this.held += text.slice(from);
    if (this.held.length > longestLinks) throw new Error('the links of a Bundle are too long');
    return ready;
  }

  /** Returns the index of the next significant character. */
  private next(text: string, at: number): number | undefined {
    if (this.escaped) return at;
    if (!this.inText && this.depth > 1) {
      deepInside.lastIndex = at;
      deepInside.exec(text);
      return deepInside.lastIndex < text.length ? deepInside.lastIndex : undefined;
    }
    const pattern = this.inText ? inText : outsideOfText;
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.index;
    if (this.inText && this.depth === 1) this.name = (this.name + text.slice(at, found)).slice(0, 'link'.length + 1);
    return found;
  }

  private step(character: string): 'links begin' | 'links end' | undefined {
    if (this.escaped) {
      this.escaped = false;
      return undefined;
    }
    switch (character) {
      case '\\':
        this.escaped = true;
        this.name += character;
        return undefined;
      case '"':
        this.inText = !this.inText;
        if (this.inText) this.name = '';
        return undefined;
      case ':':
        if (this.depth === 1) this.member = this.name;
        return undefined;
      case ',':
        if (this.depth === 1) this.member = '';
        return undefined;
      case '{':
      case '[':
        this.depth += 1;
        return this.depth === 2 && this.member === 'link' ? 'links begin' : undefined;
      default:
        this.depth -= 1;
        return this.depth === 1 && this.held !== undefined ? 'links end' : undefined;
    }
  }

  private rewritten(bytes: string): string {
    const links = JSON.parse(Buffer.from(bytes, 'latin1').toString());
    return Buffer.from(JSON.stringify(rewrittenLinks(links, this.rewrite))).toString('latin1');
  }
}
