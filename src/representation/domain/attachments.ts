import { member } from '../../contract/rules/resources/elements.js';

/** Elements of the type Attachment (FHIR R4 §2.24.0.13, R5), which no other type of element has as its name. */
const names = /^(?:attachment|photo|presentedForm)$|Attachment$/;
/** The same where others have the name as well. */
const sharedNames = /^(?:content|document|form|image)$/;
/** Content that is nested more deeply counts as an attachment. */
const deepest = 40;

/**
 * The elements of a resource that have attachments, without what it contains. A `contentType` has no other data type
 * than an Attachment.
 */
export function attachmentsIn(resource: unknown, type: string): string[] {
  return Object.entries(resource as object)
    .filter(
      ([name, value]) => name !== 'contained' && !(type === 'Binary' && name === 'contentType') && isIn(name, value),
    )
    .map(([name]) => name);
}

function isIn(name: string, value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth > deepest) return true;
  if (Array.isArray(value)) return value.some((one) => isIn(name, one, depth + 1));
  if (isAttachment(name, value)) return true;
  for (const member in value) {
    if (isIn(member, (value as Record<string, unknown>)[member], depth + 1)) return true;
  }
  return false;
}

function isAttachment(name: string, value: object): boolean {
  if (names.test(name) || typeof member(value, 'contentType') === 'string') return true;
  return sharedNames.test(name) && ['url', 'data'].some((one) => typeof member(value, one) === 'string');
}
