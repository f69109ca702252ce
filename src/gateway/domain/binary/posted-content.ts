import type { FhirRequest } from '../fhir-request.js';
import { Refusal } from '../refusal.js';
import { mediaType, type RequestHeaders } from '../request-headers.js';
import { isMediaType } from './content-headers.js';

/** Bodies of these types are resources. */
const resourceTypes = /^application\/(?:fhir\+)?json$|^application\/fhir\+xml$/;
const securityContext = /^[\x21-\x7e]{1,500}$/;

/**
 * True if the body is the content of a Binary in its own type (FHIR R4 Binary §Serving Binary Resources using the
 * RESTful API).
 */
export function isPostedContent(
  { type, interaction }: Pick<FhirRequest, 'type' | 'interaction'>,
  headers: RequestHeaders,
) {
  const writes = interaction === 'create' || interaction === 'update';
  return (
    type === 'Binary' && writes && isMediaType(headers['content-type'] ?? '') && !resourceTypes.test(mediaType(headers))
  );
}

/**
 * The resource in FHIR JSON, which every server takes: with the content, its type, and the security context of the
 * headers.
 */
export function binaryWith(content: Buffer, { id }: Pick<FhirRequest, 'id'>, headers: RequestHeaders): string {
  const context = headers['x-security-context']?.trim();
  if (context !== undefined && !securityContext.test(context)) {
    throw new Refusal(400, 'invalid', 'The X-Security-Context must be a reference.');
  }
  return JSON.stringify({
    resourceType: 'Binary',
    ...(id !== undefined && { id }),
    contentType: headers['content-type']?.trim(),
    ...(context !== undefined && { securityContext: { reference: context } }),
    data: content.toString('base64'),
  });
}
