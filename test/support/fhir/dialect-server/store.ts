import { records, type Stored } from './records.js';
import { addressOf } from './search.js';

/** The server refuses a request, in its own words. */
export class ServerRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    words: string,
  ) {
    super(words);
  }
}

/** Resources with all of their versions. */
export class Store {
  /** Every version by `Type/id`; undefined stands for a deletion. */
  private readonly versions = new Map<string, (Stored | undefined)[]>();
  private created = 0;

  constructor(private readonly checksReferences: boolean) {
    for (const resource of records()) this.put(resource);
  }

  all(): Stored[] {
    return [...this.versions.values()].flatMap((versions) => versions.at(-1) ?? []);
  }

  /** Throws 404 or 410. */
  read(type: string, id: string): Stored {
    const versions = this.versions.get(`${type}/${id}`);
    if (!versions) throw new ServerRefusal(404, 'not-found', `Resource ${type}/${id} is not known`);
    const current = versions.at(-1);
    if (!current) throw new ServerRefusal(410, 'deleted', `Resource ${type}/${id} was deleted`);
    return current;
  }

  exists(type: string, id: string): boolean {
    return this.versions.get(`${type}/${id}`)?.at(-1) !== undefined;
  }

  version(type: string, id: string, number: string): Stored {
    const found = this.versions.get(`${type}/${id}`)?.[Number(number) - 1];
    if (!found) throw new ServerRefusal(404, 'not-found', `Version ${number} of ${type}/${id} is not known`);
    return found;
  }

  /** Newest first. */
  history(type: string, id: string): Stored[] {
    const versions = this.versions.get(`${type}/${id}`);
    if (!versions) throw new ServerRefusal(404, 'not-found', `Resource ${type}/${id} is not known`);
    return versions.flatMap((version) => version ?? []).reverse();
  }

  newId(): string {
    this.created += 1;
    return `new-${this.created}`;
  }

  /** Stores a new resource, whatever it refers to. */
  add(resource: Omit<Stored, 'id'>): Stored {
    return this.put({ ...resource, id: this.newId() } as Stored);
  }

  /** Stores a new version. `ifMatch` is the `If-Match` header. */
  write(resource: Stored, ifMatch: string | undefined): Stored {
    this.assertVersion(resource.resourceType, resource.id, ifMatch);
    if (this.checksReferences) this.assertReferences(resource);
    return this.put(resource);
  }

  delete(type: string, id: string, ifMatch: string | undefined): void {
    this.assertVersion(type, id, ifMatch);
    if (this.exists(type, id)) this.versions.get(`${type}/${id}`)?.push(undefined);
  }

  private put(resource: Stored): Stored {
    const versions = this.versions.get(addressOf(resource)) ?? [];
    const meta = { ...resource.meta, versionId: String(versions.length + 1), lastUpdated: '2026-01-02T03:04:05.000Z' };
    const stored = { ...resource, meta };
    this.versions.set(addressOf(resource), [...versions, stored]);
    return stored;
  }

  private assertVersion(type: string, id: string, ifMatch: string | undefined): void {
    if (ifMatch === undefined) return;
    const current = this.versions.get(`${type}/${id}`)?.at(-1)?.meta?.versionId;
    if (current === undefined || !ifMatch.includes(`"${current}"`)) {
      throw new ServerRefusal(412, 'conflict', `${type}/${id} is not at ${ifMatch}`);
    }
  }

  private assertReferences(resource: Stored): void {
    for (const [, address = ''] of JSON.stringify(resource).matchAll(
      /"reference":"([A-Z][A-Za-z]+\/[A-Za-z0-9.-]+)"/g,
    )) {
      const [type = '', id = ''] = address.split('/');
      if (!this.exists(type, id))
        throw new ServerRefusal(400, 'processing', `Resource ${address} not found, specified in path`);
    }
  }
}
