import type { ServerNames } from '../../fhir-server/application/fhir-server.js';

/** Limits for an answer that a user waits for. */
export const readLimits = { maxBytes: 8 * 1024 * 1024, timeoutMs: 8_000 };

export interface Resource {
  resourceType: string;
  id: string;
  [element: string]: unknown;
}

/** The resources of a type in an answer, as far as their ids are ids. */
export function entriesOf(bundle: unknown, type: string): Resource[] {
  const { entry } = (bundle ?? {}) as { entry?: unknown };
  return (Array.isArray(entry) ? entry : [])
    .map((item: { resource?: Resource } | null) => item?.resource)
    .filter(
      (resource) => resource?.resourceType === type && /^[A-Za-z0-9.-]{1,64}$/.test(String(resource.id)),
    ) as Resource[];
}

/** A reference to a resource of the server, without base and version, such as `Patient/1`; undefined for any other. */
export function localReference(reference: string, names: ServerNames | undefined): string | undefined {
  const local = names?.local(reference) ?? reference;
  return /^[A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64}(?=$|\/_history\/)/.exec(local)?.[0];
}

/** The server's link to the page after this one. */
export function nextOf(bundle: unknown): string | undefined {
  const url = nextLink(bundle)?.url;
  return typeof url === 'string' ? url : undefined;
}

/** True if the server says that there is a page after this one, wherever it is. */
export function hasNext(bundle: unknown): boolean {
  return nextLink(bundle) !== undefined;
}

function nextLink(bundle: unknown): { url?: unknown } | undefined {
  const { link } = (bundle ?? {}) as { link?: unknown };
  const links: ({ relation?: unknown; url?: unknown } | null)[] = Array.isArray(link) ? link : [];
  return links.find((item) => item?.relation === 'next') ?? undefined;
}
