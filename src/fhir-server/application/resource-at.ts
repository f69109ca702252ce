import { type FhirServer, FhirServerFailure, isJson, type ServerNames } from './fhir-server.js';

const limits = { maxBytes: 1024 * 1024, timeoutMs: 3_000 };

/** Reads `{Type}/{id}`, as the portal. Undefined for a resource that the server does not have. */
export async function resourceAt(from: FhirServer, reference: string): Promise<unknown> {
  const answer = await from.askForJson(`/${reference}`, performance.now() + limits.timeoutMs);
  if (answer.status === 404 || answer.status === 410) {
    answer.discard();
    return undefined;
  }
  if (answer.status !== 200 || !isJson(answer)) {
    answer.discard();
    throw new FhirServerFailure('garbage', new Error(`a read of ${reference} was answered ${answer.status}`));
  }
  try {
    const resource: unknown = JSON.parse(await answer.text(limits.maxBytes));
    const { resourceType, id } = resource as { resourceType?: unknown; id?: unknown };
    if (`${resourceType}/${id}` === reference) return resource;
    throw new Error(`a read of ${reference} was answered with something else`);
  } catch (cause) {
    throw cause instanceof FhirServerFailure ? cause : new FhirServerFailure('garbage', cause);
  }
}

/** By which names references in resources of this server mean the server itself. */
export function namesOf({ names }: FhirServer): Pick<ServerNames, 'local'> {
  return names ?? { local: (reference) => reference };
}
