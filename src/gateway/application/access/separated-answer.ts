import { withShownIdentifiers } from '../../domain/acting/asked-patient.js';
import type { Parameter } from '../../domain/parameter.js';
import type { Permission } from '../../domain/permission.js';
import { namedElementsOf } from '../../domain/separation/named-elements.js';
import { namedByConditions, provableParameters } from '../../domain/separation/provable-conditions.js';
import {
  mayAskAbout,
  neededFor,
  neededToAsk,
  permittedAsNamed,
  type Shown,
  type Surroundings,
  shownOf,
} from '../../domain/separation/separation.js';
import type { ServerExchange } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import { NamedResources } from './named-resources.js';

/** The permissions that decide about a resource. */
type PermissionsFor = (resource: Resource) => readonly Permission[];

/** A resource as JSON, of which nothing but the type is known. */
export interface Resource {
  resourceType: string;
  id?: unknown;
}

/** Resources of an answer that are remembered; others that name one of the rest have to find it on the server. */
const mostJudged = 20_000;

/** Decides what the resources of one answer show to a limited token (decision 0094). */
export class SeparatedAnswer {
  private readonly named = new Map<string, unknown>();
  private readonly judged = new Map<string, readonly string[]>();
  private readonly others: NamedResources;
  private readonly surroundings: Surroundings;

  constructor(
    private readonly exchange: ServerExchange,
    private readonly authorized: Pick<AuthorizedRequest, 'token' | 'request'>,
    private readonly permissionsFor: PermissionsFor,
  ) {
    const { token } = authorized;
    this.others = new NamedResources(exchange);
    this.surroundings = {
      server: exchange.names,
      named: this.named,
      judged: this.judged,
      permissionsOn: (type) => [...token.permissionsFor(type, 'r'), ...token.permissionsFor(type, 's')],
    };
  }

  /**
   * Finds what has to be known about these resources, which most of the time is nothing. `alsoKnown` are resources as
   * they are now.
   */
  async prepare(resources: readonly Resource[], alsoKnown: readonly Resource[] = []): Promise<void> {
    const needed = new Set(resources.flatMap((one) => this.neededFor(one)));
    if (needed.size === 0) return;
    this.remember(alsoKnown);
    await this.findNeeded(needed, this.others);
  }

  /** Judges resources as they are now, so that others that name them can be decided about after they are gone. */
  remember(resources: readonly Resource[]): void {
    const { patients } = this.authorized.token;
    for (const one of resources) {
      if (this.judged.size >= mostJudged) return;
      if (typeof one.id !== 'string') continue;
      const permitted = permittedAsNamed(one, patients, this.surroundings);
      // Most of an answer has the same list.
      this.judged.set(`${one.resourceType}/${one.id}`, permitted.length === patients.length ? patients : permitted);
    }
  }

  /** True if a decision about the resource depends on others that are not known yet. */
  awaits(resource: Resource): boolean {
    return this.neededFor(resource).some((reference) => !this.isKnown(reference));
  }

  /**
   * The parameters of a search for this type, as far as what is shown of its answer can prove them; undefined if it
   * finds nothing. Throws a Refusal for a parameter that cannot be proven.
   */
  async provable(type: string, parameters: readonly Parameter[]): Promise<Parameter[] | undefined> {
    const patients = this.permissionsFor({ resourceType: type }).flatMap(({ patient }) => patient ?? []);
    if (type === 'Patient') return this.withShownIdentifiers(patients, parameters);
    if (patients.length === 0 || !namedElementsOf(type)) return [...parameters];
    const { names } = this.exchange;
    const needed = neededToAsk(type, namedByConditions(type, parameters, names));
    if (needed.length > 0) await this.findNeeded(new Set(needed), new NamedResources(this.exchange));
    return provableParameters(
      type,
      parameters,
      (named) => patients.some((patient) => mayAskAbout(type, named, patient, this.surroundings)),
      names,
    );
  }

  private async withShownIdentifiers(
    patients: readonly string[],
    parameters: readonly Parameter[],
  ): Promise<Parameter[] | undefined> {
    const { limit } = this.authorized.token;
    const [patient] = patients;
    const asksForOne = parameters.some(([name]) => name === 'identifier');
    if (!limit?.isPatientInPart || patient === undefined || !asksForOne) return [...parameters];
    const reference = `Patient/${patient}`;
    await this.findNeeded(new Set([reference]), new NamedResources(this.exchange));
    return withShownIdentifiers(parameters, limit.shown(this.named.get(reference)));
  }

  private neededFor(resource: Resource): string[] {
    if (!namedElementsOf(resource.resourceType)) return [];
    return neededFor(resource, this.permissionsFor(resource), this.exchange.names);
  }

  private isKnown(reference: string): boolean {
    return this.judged.has(reference) || this.named.has(reference);
  }

  private async findNeeded(needed: ReadonlySet<string>, resources: NamedResources): Promise<void> {
    const missing = [...needed].filter((reference) => !this.isKnown(reference));
    const found = await resources.findByReference(missing, this.authorized.request.cancellation);
    for (const [reference, resource] of found) this.named.set(reference, resource);
  }

  /** Whether and how a resource is shown, after it was prepared. */
  shown(resource: Resource): Shown {
    return shownOf(resource, this.permissionsFor(resource), this.surroundings);
  }
}
