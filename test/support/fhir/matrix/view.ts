import type { TokenKind } from '../dialect-gateway.js';
import { records, type Stored } from '../dialect-server/records.js';

/**
 * The rules by which each kind of token sees the fixed content of the stub server, written down here once more and
 * simply: a scope names types and actions (SMART 2.2 §scopes-for-requesting-fhir-resources), and one of a patient is
 * for that patient's record and for what is in no record.
 */

/** What a scope opens of a type for an action. */
type Reach = 'all' | 'record' | 'laboratory' | 'none';

const typesOfService = ['Patient', 'Observation', 'Encounter'];
const ofNoRecord = ['Practitioner', 'Organization', 'Location', 'Medication'];
/** Shown to each patient without the others. */
const takenPartIn = ['Appointment', 'Group'];
const content = records();

function reachOf(kind: TokenKind, type: string, action: string): Reach {
  const reads = action === 'r' || action === 's';
  switch (kind) {
    case 'everything':
    case 'practitioner':
      return 'all';
    case 'service':
      return typesOfService.includes(type) ? 'all' : 'none';
    case 'patient':
      // A patient makes no patients, and Binaries have no parameter for theirs.
      if ((type === 'Patient' && action === 'c') || (type === 'Binary' && action === 's')) return 'none';
      if (ofNoRecord.includes(type)) return reads ? 'all' : 'none';
      return 'record';
    case 'categories':
      if (type === 'Patient') return reads ? 'record' : 'none';
      return type === 'Observation' ? 'laboratory' : 'none';
  }
}

/** True for what is about patient a alone. */
function isOfRecord({ resourceType, id }: Stored): boolean {
  return /^a(?:-|$)/.test(id) || `${resourceType}/${id}` === 'List/list';
}

function isLaboratory(resource: Stored): boolean {
  return JSON.stringify(resource.category ?? '').includes('"laboratory"');
}

export class View {
  constructor(readonly kind: TokenKind) {}

  /** True for a token of one patient. */
  get isLimited(): boolean {
    return this.kind === 'patient' || this.kind === 'categories';
  }

  may(type: string, action: string): boolean {
    return reachOf(this.kind, type, action) !== 'none';
  }

  mayAll(type: string, action: string): boolean {
    return reachOf(this.kind, type, action) === 'all';
  }

  /** The line for one resource; a star follows the name of one that is shown in part. */
  read(type: string, id: string, action = 'r'): string {
    const reach = reachOf(this.kind, type, action);
    const found = content.find((one) => one.resourceType === type && one.id === id);
    if (reach === 'none') return '403';
    const shown = found && this.shown(found, action);
    return shown === undefined ? '404' : `200 ${shown}`;
  }

  /** The line for a search: what fits of what is shown. `included` are in the answer as far as they are shown. */
  search(type: string, fits: (resource: Stored) => boolean = () => true, ...included: string[]): string {
    if (!this.may(type, 's')) return '403';
    const found = content.filter((one) => one.resourceType === type && fits(one));
    const shown = found.map((one) => this.shown(one, 's')).filter((one) => one !== undefined);
    const more = included.flatMap((address) => {
      const resource = content.find((one) => `${one.resourceType}/${one.id}` === address);
      return (resource && this.shown(resource, 'r')) ?? [];
    });
    return ['200', ...[...new Set([...shown, ...(shown.length > 0 ? more : [])])].sort()].join(' ');
  }

  /** The line for the number of what a search finds. */
  count(type: string, fits: (resource: Stored) => boolean = () => true): string {
    const line = this.search(type, fits);
    return line === '403' ? line : `200 total ${line.split(' ').length - 1}`;
  }

  /** The whole record of a patient, as far as the types are permitted. */
  record(of: 'a' | 'b', ...types: string[]): string {
    if (!this.may('Patient', 's')) return '403';
    if (this.isLimited && of === 'b') return '404';
    const isAsked = ({ resourceType }: Stored) => types.length === 0 || types.includes(resourceType);
    const own = content.filter((one) => {
      const isNamed = ['Appointment', 'AuditEvent', 'Group'].includes(one.resourceType);
      const isOwn = new RegExp(`^${of}(?:-|$)`).test(one.id) || (of === 'a' && one.resourceType === 'List');
      // The stub's own idea of a record: by the parameter `patient`, which Binary, Group and Provenance of others lack.
      return (
        (isOwn && !['Binary', 'Provenance'].includes(one.resourceType)) || (isNamed && one.resourceType !== 'Group')
      );
    });
    const shared = content.filter(
      ({ resourceType }) => ofNoRecord.includes(resourceType) && resourceType !== 'Location',
    );
    const shown = [...own, ...shared].filter(isAsked).flatMap((one) => this.shown(one, 's') ?? []);
    return ['200', ...shown.sort()].join(' ');
  }

  private shown(resource: Stored, action: string): string | undefined {
    const { resourceType, id } = resource;
    const address = `${resourceType}/${id}`;
    switch (reachOf(this.kind, resourceType, action)) {
      case 'all':
        return address;
      case 'record':
        if (takenPartIn.includes(resourceType)) return `${address}*`;
        return isOfRecord(resource) ? address : undefined;
      case 'laboratory':
        return isOfRecord(resource) && isLaboratory(resource) ? address : undefined;
      case 'none':
        return undefined;
    }
  }
}
