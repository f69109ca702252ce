import { setImmediate as turn } from 'node:timers/promises';
import { type Place, pathOfPlace } from '../../domain/references/addresses.js';
import {
  decisionOn,
  type OwnRecord,
  permitsReference,
  type ReferenceDecision,
  type ReferenceFault,
} from '../../domain/references/reference-rule.js';
import { referencesIn, type WrittenReference } from '../../domain/references/written-references.js';
import { Refusal } from '../../domain/refusal.js';
import type { ServerExchange } from '../server/server-exchange.js';

/** Resources that one request may refer to next to those that are known from the reference itself. */
const mostTargets = 50;
const readAtOnce = 5;

/** Reads a resource of the server; undefined if there is none. */
type Read = (place: Place) => Promise<unknown>;

/** The resources that a transaction writes. */
export interface WrittenTogether {
  /** By the `fullUrl` of their entries; undefined for a name that two have, or that has none. */
  byName: ReadonlyMap<string, unknown>;
  /** Those of updates by the address of the update, `Type/id`. */
  byAddress: ReadonlyMap<string, unknown>;
  all: readonly unknown[];
}

/** The resources that the references of one request, or of all parts of a transaction, depend on. Each is read once. */
export class ReferenceTargets {
  private readonly read = new Map<string, Promise<unknown>>();

  constructor(
    private readonly readResource: Read,
    readonly written: WrittenTogether = { byName: new Map(), byAddress: new Map(), all: [] },
  ) {}

  /**
   * Gets the resources that these decisions depend on, in their order. Throws a {@link Refusal} if there are too many
   * for one request.
   */
  async found(decisions: readonly ReferenceDecision[]): Promise<unknown[]> {
    const places = decisions.flatMap((decision) =>
      typeof decision === 'object' && 'place' in decision ? [decision.place] : [],
    );
    const missing = new Map(places.map((place) => [pathOfPlace(place), place]));
    for (const key of this.read.keys()) missing.delete(key);
    if (this.read.size + missing.size > mostTargets) {
      throw new Refusal(
        403,
        'not-supported',
        `With this token a change may refer to ${mostTargets} resources of a record at most.`,
      );
    }
    const queue = [...missing];
    // All are read in any case: the number of reads must not tell which of them is missing.
    const reader = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [key, place] = next;
        const pending = this.readResource(place);
        this.read.set(key, pending);
        await pending;
      }
    };
    await Promise.all(Array.from({ length: readAtOnce }, reader));
    return Promise.all(
      decisions.map((decision) => {
        if (typeof decision !== 'object' || 'fault' in decision) return undefined;
        if ('entry' in decision) return this.written.byName.get(decision.entry);
        return this.read.get(pathOfPlace(decision.place));
      }),
    );
  }
}

const sentences: Readonly<Record<ReferenceFault, string>> = {
  'not-in-record': 'refers to a resource that is not in the record of the patient of this token, or does not exist.',
  'other-server': 'refers to a record of another server, which this token does not allow.',
  unclear: 'refers to a resource in another form than Type/id or an absolute URL below this FHIR base.',
  identifier:
    'refers by an identifier that is none of the patient of this token. Name a resource, or in Reference.type a type that is in no record.',
};

/**
 * References in what a token writes that is limited to one patient: they lead into the record of that patient, or to
 * what is in no record (decision 0095). A reference into another record would bind the two, and a server that checks
 * references would tell what there is.
 */
export class ReferenceCheck {
  constructor(private readonly exchange: ServerExchange) {}

  /**
   * Throws a {@link Refusal} for a reference out of the record. `stored` is the resource as it is, where the token may
   * read it: a reference that stays as it was is not a new one.
   */
  async assertWithin(resource: unknown, record: OwnRecord, targets: ReferenceTargets, stored?: unknown): Promise<void> {
    const { names: server, bases } = this.exchange;
    const entries = new Set(targets.written.byName.keys());
    // The entries of a transaction are many resources.
    await turn();
    const known = new Set(referencesIn(stored, bases).map(keyOf));
    const references = referencesIn(resource, bases, entries).filter((reference) => !known.has(keyOf(reference)));
    const decisions = references.map((reference) => decisionOn(reference, record));
    for (const [index, decision] of decisions.entries()) {
      if (typeof decision === 'object' && 'fault' in decision) throw refusalOf(references[index], decision.fault);
    }
    const found = await targets.found(decisions);
    for (const [index, decision] of decisions.entries()) {
      const reference = references[index];
      if (!reference || decision === 'permitted') continue;
      if (!permitsReference(found[index], reference, record, server)) {
        throw refusalOf(reference, reference.target.kind === 'identifier' ? 'identifier' : 'not-in-record');
      }
    }
  }
}

function keyOf({ element, text }: WrittenReference): string {
  return `${element} ${text}`;
}

/** The element is text of the app. */
function refusalOf(reference: WrittenReference | undefined, fault: ReferenceFault): Refusal {
  const element = (reference?.element ?? '').replace(/[^A-Za-z.]/g, '?').slice(0, 120);
  return new Refusal(403, 'forbidden', `'${element}' ${sentences[fault]}`);
}
