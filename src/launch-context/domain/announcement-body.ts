import { duplicateMember, isNestedTooDeeply } from '../../platform/values/json.js';

/** The parameters in the body of an announcement, or why it cannot be read. */
export type AnnouncementBody = { parameters: Record<string, unknown> } | { reason: string };

/**
 * Reads a form, or a JSON object with the same members: `fhirContext` is then an array, and `need_patient_banner` a
 * boolean. A parameter that a form has twice is a list of its values.
 */
export function readAnnouncementBody(contentType: string | undefined, text: string): AnnouncementBody {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-www-form-urlencoded') return { parameters: formOf(text) };
  if (type === 'application/json') return objectOf(text);
  return { reason: type === '' ? 'it has no Content-Type' : 'this type is not supported' };
}

function formOf(text: string): Record<string, unknown> {
  const form = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const [first, ...others] = form.getAll(name);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

function objectOf(text: string): AnnouncementBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reason: text.trim() === '' ? 'it is empty' : 'it is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { reason: 'it is not an object' };
  if (isNestedTooDeeply(value)) return { reason: 'it is nested too deeply' };
  if (duplicateMember(text) !== undefined) return { reason: 'a member is there twice' };
  const parameters = Object.entries(value).map(([name, member]) => [name, textOf(name, member)]);
  return { parameters: Object.fromEntries(parameters) };
}

/** As a form would have it; anything else is refused as what it is. */
function textOf(name: string, member: unknown): unknown {
  if (member === null) return undefined;
  if (name === 'fhirContext' && Array.isArray(member)) return JSON.stringify(member);
  return typeof member === 'boolean' ? String(member) : member;
}
