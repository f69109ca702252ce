import type { Parameter } from '../../domain/parameter.js';
import type { Permission } from '../../domain/permission.js';
import { namedElementsOf } from '../../domain/separation/named-elements.js';
import { namedByConditions, provableParameters } from '../../domain/separation/provable-conditions.js';
import {
  mayAskAbout,
  neededFor,
  neededToAsk,
  type Shown,
  type Surroundings,
  shownOf,
} from '../../domain/separation/separation.js';
import type { ServerExchange } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import { NamedResources } from './named-resources.js';

/** The permissions that decide about a resource. */
type PermissionsFor = (resource: Resource) => readonly Permission[];

export interface Resource {
  resourceType: string;
  id?: unknown;
}

/** Decides what the resources of one answer show to a limited token (decision 0094). */
export class SeparatedAnswer {
  private readonly named = new Map<string, unknown>();
  private readonly surroundings: Surroundings;

  constructor(
    private readonly exchange: ServerExchange,
    private readonly authorized: Pick<AuthorizedRequest, 'token' | 'request'>,
    private readonly permissionsFor: PermissionsFor,
  ) {
    const { token } = authorized;
    this.surroundings = {
      server: exchange.names,
      named: this.named,
      permissionsOn: (type) => [...token.on(type, 'r'), ...token.on(type, 's')],
    };
  }

  /**
   * Finds what has to be known about these resources, which most of the time is nothing. `alsoKnown` are resources as they are now.
   */
  async prepare(resources: readonly Resource[], alsoKnown: readonly Resource[] = []): Promise<void> {
    const { names } = this.exchange;
    const naming = resources.filter(({ resourceType }) => namedElementsOf(resourceType) !== undefined);
    const needed = new Set(naming.flatMap((one) => neededFor(one, this.permissionsFor(one), names)));
    if (needed.size === 0) return;
    for (const one of alsoKnown) this.named.set(`${one.resourceType}/${one.id}`, one);
    await this.find(needed);
  }

  /**
   * The parameters of a search for this type, as far as what is shown of its answer can prove them; undefined if it finds nothing. Throws a
   * Refusal for a parameter that cannot be proven.
   */
  async provable(type: string, parameters: readonly Parameter[]): Promise<Parameter[] | undefined> {
    const patients = this.permissionsFor({ resourceType: type }).flatMap(({ patient }) => patient ?? []);
    if (patients.length === 0 || !namedElementsOf(type)) return [...parameters];
    const { names } = this.exchange;
    const needed = neededToAsk(type, namedByConditions(type, parameters, names));
    if (needed.length > 0) await this.find(new Set(needed));
    return provableParameters(
      type,
      parameters,
      (named) => patients.some((patient) => mayAskAbout(type, named, patient, this.surroundings)),
      names,
    );
  }

  private async find(needed: ReadonlySet<string>): Promise<void> {
    const missing = [...needed].filter((reference) => !this.named.has(reference));
    const found = await new NamedResources(this.exchange).find(missing, this.authorized.request.cancellation);
    for (const [reference, resource] of found) this.named.set(reference, resource);
  }

  /** Whether and how a resource is shown, after it was prepared. */
  shown(resource: Resource): Shown {
    return shownOf(resource, this.permissionsFor(resource), this.surroundings);
  }
}
