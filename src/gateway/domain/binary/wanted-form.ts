/**
 * The form in which a Binary is asked for: its content in its own type, or the resource in FHIR JSON where that is
 * asked for by name (FHIR R4 Binary §Serving Binary Resources using the RESTful API).
 */

import type { Parameter } from '../parameter.js';
import { Refusal } from '../refusal.js';
import type { RequestHeaders } from '../request-headers.js';

/** A media range of an `Accept` header (RFC 9110 §12.5.1); both parts may be `*`. */
interface MediaRange {
  type: string;
  subtype: string;
  /** From 0 to 1. */
  weight: number;
}

/** The forms in which a Binary is accepted (FHIR R4 Binary §Serving Binary Resources using the RESTful API). */
export interface WantedForm {
  /** The ranges that the type of the content may be in; empty where only the resource is wanted. */
  content: readonly MediaRange[];
  /** True if the resource in FHIR JSON will do. */
  resource: boolean;
}

const token = "[\\w!#$%&'*+.^`|~-]+";
const range = new RegExp(`^(${token})/(${token})$`);
const fhirJsonTypes = new Set(['application/fhir+json', 'application/json']);
/** Asks for the resource, in a form that the gateway does not have. */
const fhirXml = 'application/fhir+xml';

/** Throws a {@link Refusal} if a Binary has no form that is accepted. `_format` is JSON where there is one. */
export function wantedForm({ accept = '' }: RequestHeaders, parameters: readonly Parameter[]): WantedForm {
  if (parameters.some(([name]) => name === '_format')) return { content: [], resource: true };
  const ranges = rangesIn(accept.trim() === '' ? '*/*' : accept);
  const isJson = ({ type, subtype }: MediaRange) => fhirJsonTypes.has(`${type}/${subtype}`);
  const json = Math.max(0, ...ranges.filter(isJson).map(({ weight }) => weight));
  const content = ranges.filter((one) => !isJson(one) && `${one.type}/${one.subtype}` !== fhirXml);
  const best = Math.max(0, ...content.map(({ weight }) => weight));
  if (best === 0 && json === 0) throw new Refusal(406, 'not-supported', 'No form of a Binary is accepted.');
  return { content: best > json ? content : [], resource: json > 0 };
}

/** True if a media type, with any parameters, is one that is accepted: the most specific range decides. */
export function isAccepted(mediaType: string, { content }: WantedForm): boolean {
  const [, type, subtype] = range.exec(withoutParameters(mediaType)) ?? [];
  const specificity = (one: MediaRange) => Number(one.type !== '*') + Number(one.subtype !== '*');
  const [most] = content
    .filter((one) => (one.type === '*' || one.type === type) && (one.subtype === '*' || one.subtype === subtype))
    .toSorted((one, other) => specificity(other) - specificity(one) || other.weight - one.weight);
  return most !== undefined && most.weight > 0;
}

/** The ranges as an `Accept` header. */
export function printRanges({ content }: WantedForm): string {
  return content
    .map(({ type, subtype, weight }) => `${type}/${subtype}${weight === 1 ? '' : `;q=${weight}`}`)
    .join(', ');
}

function rangesIn(accept: string): MediaRange[] {
  return accept.split(',').flatMap((part) => {
    const [, type, subtype] = range.exec(withoutParameters(part)) ?? [];
    if (type === undefined || subtype === undefined || (type === '*' && subtype !== '*')) return [];
    const [, weight = '1'] = /;\s*q\s*=\s*([\d.]+)\s*(?:;|$)/i.exec(part) ?? [];
    return [{ type, subtype, weight: Math.min(1, Number(weight) || 0) }];
  });
}

function withoutParameters(mediaType: string): string {
  return mediaType.replace(/;.*/s, '').trim().toLowerCase();
}
