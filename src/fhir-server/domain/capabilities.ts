import { FhirServerFailure } from './connection.js';

export interface ServedOperation {
  name: string;
  /** Canonical URL of its OperationDefinition. */
  definition: string;
  /** The resource type it is listed under; null for the whole server. */
  type: string | null;
}

interface ServedType {
  type: string;
  searchParameters: string[];
  /** True if a profile of US Core is supported; absent in rows that an earlier version stored. */
  usCore?: boolean;
  /** The interactions that are carried out conditionally; absent in what an earlier version kept. */
  conditional?: string[];
  /** True if an update makes what does not exist; absent in what an earlier version kept. */
  updateCreate?: boolean;
}

/** The parts of a CapabilityStatement that the portal stores. */
export interface Capabilities {
  /** When they were read last, ISO 8601; absent in those that an earlier release has stored. */
  readAt?: string;
  fhirVersion: string;
  resourceTypes: ServedType[];
  operations: ServedOperation[];
}

/**
 * Reads `/metadata`. Refuses what is not a CapabilityStatement of a server for FHIR R4, R4B or R5: guessing at another
 * version's resources would be worse than having none.
 */
export function readCapabilities(document: unknown): Capabilities {
  const statement = member(document);
  if (statement.resourceType !== 'CapabilityStatement') throw unusable('/metadata is not a CapabilityStatement');
  const fhirVersion = text(statement.fhirVersion) ?? '';
  if (!/^[45]\./.test(fhirVersion)) throw unusable(`FHIR version '${fhirVersion.slice(0, 20)}' is not supported`);
  const rest = list(statement.rest).map(member);
  const server = rest.find(({ mode }) => mode === 'server');
  if (!server) throw unusable('The CapabilityStatement describes no server');
  const resources = list(server.resource)
    .map(member)
    .flatMap((resource) => {
      const type = text(resource.type);
      return type === undefined ? [] : [{ type, resource }];
    });
  return {
    fhirVersion,
    resourceTypes: resources.map(({ type, resource }) => ({
      type,
      searchParameters: list(resource.searchParam).flatMap((parameter) => text(member(parameter).name) ?? []),
      conditional: conditional(resource),
      updateCreate: resource.updateCreate === true,
      usCore: [resource.profile, ...list(resource.supportedProfile)].some(isUsCore),
    })),
    operations: [
      ...operations(server.operation, null),
      ...resources.flatMap(({ type, resource }) => operations(resource.operation, type)),
    ],
  };
}

function operations(value: unknown, type: string | null): ServedOperation[] {
  return list(value)
    .map(member)
    .flatMap((operation) => {
      const [name, definition] = [text(operation.name), text(operation.definition)];
      // Some servers write the dollar sign of the address into the name.
      return name === undefined || definition === undefined
        ? []
        : [{ name: name.replace(/^\$/, ''), definition, type }];
    });
}

function isUsCore(profile: unknown): boolean {
  return typeof profile === 'string' && profile.startsWith('http://hl7.org/fhir/us/core/');
}

/** FHIR R4 declares for a delete how many resources it may hit, and nothing for patches. */
function conditional(resource: Record<string, unknown>): string[] {
  const { conditionalCreate, conditionalUpdate, conditionalPatch, conditionalDelete } = resource;
  return [
    ...(conditionalCreate === true ? ['create'] : []),
    ...(conditionalUpdate === true ? ['update'] : []),
    ...(conditionalPatch === true ? ['patch'] : []),
    ...(conditionalDelete === 'single' || conditionalDelete === 'multiple' ? ['delete'] : []),
  ];
}

function unusable(why: string): FhirServerFailure {
  return new FhirServerFailure('garbage', new Error(why));
}

function member(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
