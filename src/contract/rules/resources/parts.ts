import { listOf, member } from './elements.js';

/** Marks a resource of which a part is not shown (FHIR R4 §3.1.1.5.9). */
const subsetted = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };

/** The `meta` of a resource of which only a part is shown. */
export function markedAsPart(meta: unknown): Record<string, unknown> {
  const known = (typeof meta === 'object' && meta !== null ? meta : {}) as Record<string, unknown>;
  const tags = listOf(known.tag).filter((tag) => member(tag, 'code') !== subsetted.code);
  return { ...known, tag: [...tags, subsetted] };
}
