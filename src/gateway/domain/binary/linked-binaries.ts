import { isAboutPatient, type ServerNames } from '../patient-compartment.js';

/** The types of a record whose resources link documents, and where. */
const attachments: Readonly<Record<string, readonly string[]>> = {
  DocumentReference: ['content', 'attachment'],
  DiagnosticReport: ['presentedForm'],
  Media: ['content'],
};

/** The types whose resources may prove that a Binary belongs to a record. */
export const linkingTypes: readonly string[] = Object.keys(attachments);

/** The addresses of the attachments of a resource of one of {@link linkingTypes}, as they are written. */
export function attachmentUrls(resource: unknown): string[] {
  const type = member(resource, 'resourceType');
  const path = typeof type === 'string' && Object.hasOwn(attachments, type) ? attachments[type] : undefined;
  let found: unknown[] = path === undefined ? [] : [resource];
  for (const name of path ?? []) found = found.flatMap((value) => member(value, name) ?? []);
  return found.flatMap((attachment) => {
    const url = member(attachment, 'url');
    return typeof url === 'string' ? [url] : [];
  });
}

/** True if one of these resources, of this patient alone, links a document by this name. */
export function isLinkedByAny(
  name: string,
  resources: readonly unknown[],
  patient: string,
  server: ServerNames,
): boolean {
  return resources.some(
    (resource) => attachmentUrls(resource).includes(name) && isAboutPatient(resource, patient, server),
  );
}

/** A place of a resource on the server. */
export interface Place {
  type: string;
  id: string;
  version: string | undefined;
}

const place = /^([A-Z][A-Za-z]{0,63})\/([A-Za-z0-9.-]{1,64})(?:\/_history\/([A-Za-z0-9.-]{1,64}))?$/;

/**
 * Reads a reference that is relative to the base, such as `Binary/1/_history/2`; undefined for any other (FHIR R4
 * §2.3.0.1).
 */
export function placeOf(reference: string): Place | undefined {
  const [, type, id, version] = place.exec(reference) ?? [];
  return type === undefined || id === undefined ? undefined : { type, id, version };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
