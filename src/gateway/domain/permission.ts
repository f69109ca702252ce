import { hasCategory } from '../../contract/rules/resources/codes.js';
import type { RecordPart } from './acting/record-limit.js';
import type { Parameter } from './parameter.js';
import { isAboutPatient, type ServerNames } from './patient-compartment.js';

/**
 * The extent to which a scope permits resources of the requested type: all of them, those of one patient, those of
 * certain categories, or both. A resource is permitted when any permission includes it.
 */
export interface Permission {
  patient?: string;
  /** Token search values, each of which the resource's category must match. */
  categories: readonly string[];
  /** Present if the user acts for the patient: the part of the record that the relationship opens. */
  part?: RecordPart;
}

/** Limits nothing. */
export const everything: Permission = { categories: [] };

/** The intersection: permissions on resources that both permit. */
export function intersect(one: readonly Permission[], other: readonly Permission[]): Permission[] {
  return one.flatMap((a) =>
    other.flatMap((b) => {
      const patient = a.patient ?? b.patient;
      if (patient !== (b.patient ?? a.patient)) return [];
      const categories = [...a.categories, ...b.categories];
      // A token has one relationship at most.
      const part = a.part ?? b.part;
      return [{ ...(patient !== undefined && { patient }), categories, ...(part && { part }) }];
    }),
  );
}

/** True if everything of the requested type is permitted, so that no resource needs to be checked. */
export function isUnlimited(permissions: readonly Permission[]): boolean {
  return permissions.some((one) => one.patient === undefined && one.categories.length === 0 && one.part === undefined);
}

/**
 * True if the parameters of a search name categories, of which none is one that the permissions are for: what it finds
 * has to have a further category.
 */
export function namesOtherCategories(parameters: readonly Parameter[], permissions: readonly Permission[]): boolean {
  const named = parameters.filter(([name]) => name === 'category').map(([, value]) => value.split(','));
  return permissions.every(({ categories }) => {
    const own = categories.flatMap((value) => value.split(','));
    return (
      own.length > 0 && named.some((values) => !values.some((one) => own.some((other) => isSameToken(one, other))))
    );
  });
}

/** Without a system, a token means its code in every system. */
function isSameToken(one: string, other: string): boolean {
  const [[system, code], [otherSystem, otherCode]] = [tokenOf(one), tokenOf(other)];
  return code === otherCode && (system === undefined || otherSystem === undefined || system === otherSystem);
}

function tokenOf(value: string): [system: string | undefined, code: string] {
  const bar = value.lastIndexOf('|');
  return bar < 0 ? [undefined, value] : [value.slice(0, bar), value.slice(bar + 1)];
}

/** True if any permission includes this resource of the server. */
export function isPermitted(resource: unknown, permissions: readonly Permission[], server: ServerNames): boolean {
  return permissions.some(
    (permission) =>
      (permission.patient === undefined || isAboutPatient(resource, permission.patient, server)) &&
      isOfKind(resource, permission),
  );
}

/** True if a resource is of the categories and in the part of the record that a permission is for. */
export function isOfKind(resource: unknown, { categories, part }: Permission): boolean {
  return categories.every((category) => hasCategory(resource, category)) && (part?.includes(resource) ?? true);
}

/**
 * The patient to whose record the permissions limit a change of this resource; undefined if one that includes the
 * resource is for no patient in particular. The resource must be permitted.
 */
export function limitingPatient(
  resource: unknown,
  permissions: readonly Permission[],
  server: ServerNames,
): string | undefined {
  const including = permissions.filter((permission) => isPermitted(resource, [permission], server));
  return including.every(({ patient }) => patient !== undefined) ? including[0]?.patient : undefined;
}
