/** A base URL of the server in its parts. */
interface Name {
  origin: string;
  /** The base URL with a slash at its end. */
  prefix: string;
  /**
   * Host and port; the port is empty where it is the default one: behind a proxy a server may not know whether that one
   * speaks TLS.
   */
  authority: string;
  /** The path without a slash at its end. */
  path: string;
  /** The path at this name below which all is the server's; undefined if only the base is. */
  root: string | undefined;
  /** The same path at the base URL that requests are sent to. */
  rootOfBase: string;
}

const absolute = /^(https?:)\/\/([^/?#\\@\s]+)(\/[^?#\\\s]*)?$/i;
/** A path segment that FHIR has below a base: a type, or words that begin with an underscore or a dollar sign. */
const belowBase = /^\/?(?:[A-Z][A-Za-z]{0,63}|[_$][A-Za-z_$-]*)(?:[/?]|$)/;

/**
 * The names of a FHIR server: the base URL that requests are sent to, others that the server or a proxy in front of it
 * writes, and the base that apps see. An address means the same at each of them.
 */
export class ServerNames {
  private readonly first: Name;
  private readonly all: readonly Name[];

  constructor(
    /** The base URL that requests are sent to, without a slash at its end, like all others here. */
    readonly base: string,
    /** Further base URLs that mean the server. */
    readonly aliases: readonly string[] = [],
    /** The base that apps see. */
    ours = base,
    /** Base URLs of other servers: no address below one of them is an address of this server. */
    private readonly others: readonly string[] = [],
  ) {
    this.first = nameOf(base, base);
    const own = [base, ...aliases.filter((alias) => alias !== ours)];
    // The rest of our origin is the portal's.
    const ofApps = ours === base ? [] : [{ ...nameOf(ours, base), root: undefined }];
    this.all = [...own.map((name) => nameOf(name, base)), ...ofApps];
  }

  /** A reference without the base of this server, such as `Patient/1`; any other reference as it is. */
  local(reference: string): string {
    if (!reference.includes('://')) return reference;
    for (const { prefix } of this.all) {
      if (reference.startsWith(prefix)) return reference.slice(prefix.length);
    }
    // The host may be in another spelling, the path may not.
    const [, protocol, host, path = ''] = absolute.exec(reference) ?? [];
    if (!URL.canParse(`${protocol}//${host}`)) return reference;
    const authority = authorityOf(new URL(`${protocol}//${host}`));
    const name = this.all.find((one) => one.authority === authority && path.startsWith(`${one.path}/`));
    return name ? path.slice(name.path.length + 1) : reference;
  }

  /**
   * The target of the server's link for a request to it: the part after its base, such as `/Observation?page=2`, or an
   * absolute URL at the origin of the base. Undefined for a link to another server, and for text that is not a link.
   * `at` is the target of the document with the link.
   */
  targetOf(url: string, at = '/'): string | undefined {
    const link = url === '' || url.includes('#') ? undefined : this.resolved(url, at);
    if (!link) return undefined;
    const named = this.all.filter(({ authority }) => authority === authorityOf(link));
    const targets = named.flatMap(({ path }) => partAfter(path, link) ?? []);
    // One base may be below another.
    const [below] = targets.toSorted((one, other) => one.length - other.length);
    const [outside] = named.flatMap(({ root, rootOfBase }) => {
      const part = root === undefined ? undefined : partAfter(root, link);
      return part === undefined ? [] : [this.first.origin + rootOfBase + part];
    });
    const target = below ?? outside;
    if (target === undefined || target === '') return undefined;
    const address = new URL(below === undefined ? target : this.base + below);
    return this.others.some((base) => isBelow(base, address)) ? undefined : target;
  }

  private resolved(url: string, at: string): URL | undefined {
    const document = /^https?:/.test(at) ? at : this.base + at;
    const isRooted = /^[/\\](?![/\\])/.test(url);
    if (isRooted) {
      const name = this.all.find(
        ({ path }) => path !== '' && url.startsWith(path) && /^[/?]/.test(url.slice(path.length)),
      );
      if (name) return parsed(name.origin + url);
      return parsed(belowBase.test(url) ? this.base + url : this.first.origin + url);
    }
    // A link of the form `Observation?page=2` is relative to the base, like a reference.
    return parsed(url, url.startsWith('?') || (document === at && !belowBase.test(url)) ? document : `${this.base}/`);
  }
}

function parsed(url: string, base?: string): URL | undefined {
  const found = URL.canParse(url, base) ? new URL(url, base) : undefined;
  return found && /^https?:$/.test(found.protocol) ? found : undefined;
}

function nameOf(base: string, first: string): Name {
  const url = new URL(base);
  const [own, ofFirst] = [pathOf(url).split('/'), pathOf(new URL(first)).split('/')];
  let same = 0;
  while (same < own.length && own.at(-1 - same) === ofFirst.at(-1 - same)) same += 1;
  return {
    origin: url.origin,
    prefix: `${base}/`,
    authority: authorityOf(url),
    path: pathOf(url),
    root: own.slice(0, own.length - same).join('/'),
    rootOfBase: ofFirst.slice(0, ofFirst.length - same).join('/'),
  };
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}

function authorityOf({ hostname, port }: URL): string {
  return `${hostname}:${port}`;
}

/** The path and query after a path; undefined for an address that is not below it. */
function partAfter(path: string, { pathname, search }: URL): string | undefined {
  const part = pathname.startsWith(path) ? pathname.slice(path.length) + search : undefined;
  return part === undefined || part === '' || /^[/?]/.test(part) ? part : undefined;
}

function isBelow(base: string, address: URL): boolean {
  const url = new URL(base);
  return authorityOf(url) === authorityOf(address) && partAfter(pathOf(url), address) !== undefined;
}
