import { allRecords, type Json, type Resource } from './records.js';

/** The resources by `Type/id`, with their earlier versions. */
export class Store {
  readonly current = new Map<string, Resource>();
  readonly versions = new Map<string, Resource[]>();
  private created = 0;

  constructor(resources = allRecords()) {
    for (const resource of resources) this.put(resource);
  }

  put(resource: Resource): Resource {
    const key = keyOf(resource);
    const earlier = this.versions.get(key) ?? [];
    const stored = {
      ...resource,
      meta: { ...resource.meta, versionId: String(earlier.length + 1), lastUpdated: new Date().toISOString() },
    };
    this.current.set(key, stored);
    this.versions.set(key, [...earlier, stored]);
    return stored;
  }

  newId(): string {
    this.created += 1;
    return `made-by-server-${this.created}`;
  }

  delete(key: string): void {
    this.current.delete(key);
  }
}

export const keyOf = ({ resourceType, id }: { resourceType: string; id: string }) => `${resourceType}/${id}`;

export const SHARED_TYPES = new Set(['Practitioner', 'Organization', 'Location', 'Medication']);
/** The elements that say whose a resource is; all that they name has to be visible. */
const OWNERS: Record<string, string[]> = {
  Appointment: ['participant.actor'],
  AuditEvent: ['entity.what'],
  Binary: ['securityContext'],
  Coverage: ['beneficiary'],
  Group: ['member.entity'],
  List: ['subject', 'entry.item'],
  Provenance: ['target'],
};

/** True if a patient may see the resource: everything that it is about is of the patient's record. */
export function isVisible(resource: Resource, patient: string, store: Store): boolean {
  if (SHARED_TYPES.has(resource.resourceType)) return true;
  if (resource.resourceType === 'Patient') return resource.id === patient;
  const named = (OWNERS[resource.resourceType] ?? ['subject', 'patient']).flatMap((path) => valuesAt(resource, path));
  const keys = named.flatMap((one) => (one as Json)?.reference ?? []) as string[];
  return (
    keys.length > 0 &&
    keys.every((key) => {
      if (key.startsWith('Patient/')) return key === `Patient/${patient}`;
      const target = store.current.get(key);
      return target !== undefined && target.resourceType !== 'Provenance' && isVisible(target, patient, store);
    })
  );
}

/** The values of an element, through lists. */
export function valuesAt(value: unknown, path: string): unknown[] {
  const [name = '', ...rest] = path.split('.');
  const found = (value as Json)?.[name];
  const list = found === undefined ? [] : [found].flat();
  return rest.length === 0 ? list : list.flatMap((one) => valuesAt(one, rest.join('.')));
}

/** All references in a value. */
export function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    (name === 'reference' || name === 'url') && typeof member === 'string' ? [member] : referencesIn(member),
  );
}
