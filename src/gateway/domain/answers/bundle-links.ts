import { Transform } from 'node:stream';
import { JsonScanner } from './json-scanner.js';

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
    return rewritten === undefined ? [] : [{ ...link, url: rewritten }];
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
        done(null, Buffer.from(scanner.passOn(chunk.toString('latin1')), 'latin1'));
      } catch (error) {
        done(error as Error);
      }
    },
    // Text that ended amid its links is held back: it is no JSON with or without them.
    flush: (done) => done(),
  });
}

/** The same for a whole Bundle. Each character is a byte. */
export function withRewrittenLinks(text: string, rewrite: RewriteLink): string {
  return new LinkScanner(rewrite).passOn(text);
}

/** The same for a Bundle that was parsed anyway: of most texts only the links are followed, which takes a tenth of the time. */
export function withLinksOf(parsed: NonNullable<unknown>, text: string, rewrite: RewriteLink): string {
  const at = text.indexOf(linkName);
  if (at < 0) return text;
  const { link } = parsed as { link?: unknown };
  const isOnlyName = Array.isArray(link) && !text.includes(linkName, at + 1) && !text.includes('\\u00');
  if (!isOnlyName) return withRewrittenLinks(text, rewrite);
  return text.slice(0, at) + new LinkScanner(rewrite, true).passOn(`{${text.slice(at)}`).slice(1);
}

const linkName = '"link"';

/** The level of the Bundle's own members. */
const depthOfBundle = 1;

/** Finds the member `link` of the outermost object. */
class LinkScanner {
  private readonly json = new JsonScanner(depthOfBundle);
  /** The links so far, while inside of them. */
  private held: string | undefined;

  constructor(
    private readonly rewrite: RewriteLink,
    /** True if the text has no links after the first list of them. */
    private readonly once = false,
  ) {}

  /** Returns the arrived text that can be passed on. Each character is a byte. */
  passOn(text: string): string {
    const { json } = this;
    let ready = '';
    let from = 0;
    json.read(text);
    for (let event = json.next(); event !== undefined; event = json.next()) {
      if (event === 'opened' && json.depth === depthOfBundle + 1 && json.members[depthOfBundle] === 'link') {
        ready += text.slice(from, json.at - 1);
        from = json.at - 1;
        this.held = '';
      } else if (event === 'closed' && json.depth === depthOfBundle && this.held !== undefined) {
        ready += this.rewritten(this.held + text.slice(from, json.at));
        from = json.at;
        this.held = undefined;
        if (this.once) break;
      }
    }
    if (this.held === undefined) return ready + text.slice(from);
    this.held += text.slice(from);
    if (this.held.length > longestLinks) throw new Error('the links of a Bundle are too long');
    return ready;
  }

  private rewritten(bytes: string): string {
    const links = JSON.parse(Buffer.from(bytes, 'latin1').toString());
    return Buffer.from(JSON.stringify(rewrittenLinks(links, this.rewrite))).toString('latin1');
  }
}
