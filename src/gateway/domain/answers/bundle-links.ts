import { Transform } from 'node:stream';
import { JsonScanner } from './json-scanner.js';

/** A server has a handful of links, of some hundred characters. */
const longestLinks = 64 * 1024;

/** The link that an app gets for one of the server; undefined when it cannot be followed. */
export type RewriteLink = (url: string, relation: string) => string | undefined;

/** The links of a Bundle with pages. */
export interface BundleLinks {
  bundle: 'searchset' | 'history';
  rewrite: RewriteLink;
}

/** Relations of links to other pages. */
const pages = new Set<unknown>(['first', 'previous', 'prev', 'next', 'last']);

/** The links of a Bundle as an app gets them; `lost` are the relations of other pages that it cannot open. */
export function rewrittenLinks(links: unknown, rewrite: RewriteLink): { links: unknown[]; lost: string[] } {
  const kept: unknown[] = [];
  const lost: string[] = [];
  for (const link of Array.isArray(links) ? links : []) {
    const { relation, url } = (link ?? {}) as { relation?: unknown; url?: unknown };
    const rewritten = typeof url === 'string' ? rewrite(url, String(relation)) : undefined;
    if (rewritten !== undefined) kept.push({ ...link, url: rewritten });
    else if (pages.has(relation)) lost.push(String(relation));
  }
  return { links: kept, lost };
}

/**
 * An entry that tells about pages which cannot be opened. In a history each entry has a request (FHIR R4 §Bundle,
 * bdl-3).
 */
export function entryAboutLost(lost: readonly string[], bundle: BundleLinks['bundle']): object {
  const diagnostics = `${lostPages} (${[...new Set(lost)].join(', ')}).`;
  const resource = {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'warning', code: 'incomplete', diagnostics }],
  };
  if (bundle === 'searchset') return { resource, search: { mode: 'outcome' } };
  return { request: { method: 'GET', url: '_history' }, response: { status: '200', outcome: resource } };
}

const lostPages =
  'The results may be incomplete: the FHIR server named other pages at an address that is not known to be its own';

/**
 * Rewrites the links of a Bundle of any length while it passes, in constant memory. Only the Bundle's own are touched:
 * what stands in a resource may have been written by an app, and must not become a link that the gateway vouches for.
 */
export function linkStream(links: BundleLinks): Transform {
  const scanner = new LinkScanner(links);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      try {
        done(null, Buffer.from(scanner.passOn(chunk.toString('latin1')), 'latin1'));
      } catch (error) {
        done(error as Error);
      }
    },
    // Text that ended amid its links is held back: it is not JSON with or without them.
    flush: (done) => done(),
  });
}

/** The same for a whole Bundle. Each character is a byte. */
export function withRewrittenLinks(text: string, links: BundleLinks): string {
  return new LinkScanner(links).passOn(text);
}

/**
 * The same for a Bundle that was parsed anyway: of most texts only the links are followed, which takes a tenth of the
 * time.
 */
export function withLinksOf(parsed: NonNullable<unknown>, text: string, links: BundleLinks): string {
  const at = text.indexOf(linkName);
  if (at < 0) return text;
  const { link } = parsed as { link?: unknown };
  const isOnlyName = Array.isArray(link) && !text.includes(linkName, at + 1) && !text.includes('\\u00');
  if (!isOnlyName) return withRewrittenLinks(text, links);
  const scanner = new LinkScanner(links, true);
  const rewritten = text.slice(0, at) + scanner.passOn(`{${text.slice(at)}`).slice(1);
  return scanner.hasLost ? withRewrittenLinks(text, links) : rewritten;
}

const linkName = '"link"';

/** The level of the Bundle's own members. */
const depthOfBundle = 1;

/**
 * Finds the member `link` of the outermost object, and the place in its member `entry` for what is told about the
 * links.
 */
class LinkScanner {
  private readonly json = new JsonScanner(depthOfBundle);
  private readonly lost: string[] = [];
  private ready = '';
  /** The links so far, while inside of them. */
  private held: string | undefined;
  private hasLinks = false;
  private isInEntries = false;
  private hasList = false;
  private hasEntry = false;
  /** The end of the entries and what follows, as long as links may follow. */
  private tail: string | undefined;

  constructor(
    private readonly links: BundleLinks,
    /** True if the text has no links after the first list of them. */
    private readonly once = false,
  ) {}

  /** True if a link to another page was left out. */
  get hasLost(): boolean {
    return this.lost.length > 0;
  }

  /** Returns the arrived text that can be passed on. Each character is a byte. */
  passOn(text: string): string {
    const { json } = this;
    let from = 0;
    this.ready = '';
    json.read(text);
    for (let event = json.next(); event !== undefined; event = json.next()) {
      const { depth, at } = json;
      if (event === 'opened' && depth === depthOfBundle + 1) {
        const member = json.members[depthOfBundle];
        const isList = member === 'entry' && text[at - 1] === '[' && !this.hasList;
        if (member !== 'link' && !isList) continue;
        const begin = isList ? at : at - 1;
        this.pass(text.slice(from, begin));
        from = begin;
        if (isList) this.isInEntries = true;
        else this.held = '';
      } else if (event === 'closed' && depth === depthOfBundle && this.held !== undefined) {
        this.pass(this.rewritten(this.held + text.slice(from, at)));
        from = at;
        if (this.once) break;
      } else if (event === 'closed' && (depth < depthOfBundle || this.isInEntries)) {
        this.pass(text.slice(from, at - 1));
        from = at - 1;
        if (depth < depthOfBundle) this.endBundle();
        else this.endEntries();
      }
    }
    if (this.held === undefined) this.pass(text.slice(from));
    else this.held += text.slice(from);
    if (this.held !== undefined && this.held.length > longestLinks)
      throw new Error('the links of a Bundle are too long');
    return this.ready;
  }

  private pass(text: string): void {
    if (this.isInEntries) this.hasEntry ||= /\S/.test(text);
    if (this.tail === undefined) this.ready += text;
    else this.tail += text;
    if (this.tail === undefined || this.tail.length <= longestLinks) return;
    this.ready += this.tail;
    this.tail = undefined;
  }

  private endEntries(): void {
    this.isInEntries = false;
    this.hasList = true;
    if (this.hasLinks) this.ready += this.told();
    else this.tail = '';
  }

  private endBundle(): void {
    if (this.tail !== undefined) this.ready += this.told() + this.tail;
    else if (this.hasLost && !this.hasList) this.ready += `,"entry":[${this.told()}]`;
    this.tail = undefined;
  }

  /** The entry about lost links as a further one of the list; empty if there are none. */
  private told(): string {
    if (!this.hasLost) return '';
    return (this.hasEntry ? ',' : '') + JSON.stringify(entryAboutLost(this.lost, this.links.bundle));
  }

  private rewritten(bytes: string): string {
    this.held = undefined;
    this.hasLinks = true;
    const { links, lost } = rewrittenLinks(JSON.parse(Buffer.from(bytes, 'latin1').toString()), this.links.rewrite);
    this.lost.push(...lost);
    return Buffer.from(JSON.stringify(links)).toString('latin1');
  }
}
