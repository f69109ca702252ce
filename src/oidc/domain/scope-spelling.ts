import { mostLike } from '../../contract/rules/nearest.js';
import { patientScopeTypes } from '../../contract/rules/scopes/patient-compartment.js';
import { parseScope } from '../../contract/rules/scopes/smart-scope.js';

const subjects = ['patient', 'user', 'system'];
const words = [
  'openid',
  'fhirUser',
  'profile',
  'email',
  'phone',
  'offline_access',
  'online_access',
  'launch',
  'launch/patient',
  'launch/encounter',
];
/** Words for access that apps of other servers use, in the letters of version 2. */
const actions: Readonly<Record<string, string>> = {
  create: 'c',
  delete: 'd',
  search: 's',
  update: 'u',
};
/** A longer text is not a misspelled scope. */
const longest = 300;
const resource = /^([A-Za-z]+)[/.:]([A-Za-z]{2,}|\*)(?:[/.:]([A-Za-z*-]{1,20}(?:\.[A-Za-z*]{1,20})?))?(\?.+)?$/;

/** The scope that an unreadable one probably means; undefined if none is near. */
export function meantScope(text: string): string | undefined {
  if (text.length > longest) return undefined;
  const meant = mostLike(text, words) ?? resourceScope(text);
  return meant !== undefined && meant !== text && parseScope(meant) ? meant : undefined;
}

function resourceScope(text: string): string | undefined {
  const match = resource.exec(text);
  if (!match) return undefined;
  const [, subjectText = '', typeText = '', ...rest] = match;
  const [accessText = 'rs', query = ''] = rest;
  const subject = mostLike(subjectText, subjects);
  if (subject === undefined) return undefined;
  const type = mostLike(typeText, patientScopeTypes) ?? typeText.charAt(0).toUpperCase() + typeText.slice(1);
  const access = accessOf(accessText, query !== '');
  return access === undefined ? undefined : `${subject}/${type}.${access}${query}`;
}

/** Version 1 has no conditions, so one that is given needs the letters of version 2. */
function accessOf(text: string, hasQuery: boolean): string | undefined {
  const lower = text.toLowerCase();
  // The words of version 1 next to each other, or next to the letters of version 2.
  const both = lower.split('.');
  if (both.length > 1) return accessOf(both.map((one) => accessOf(one, true) ?? one).join(''), hasQuery);
  const letters = [...'cruds'].filter((letter) => lower.includes(letter)).join('');
  if (/^[cruds]+$/.test(lower)) return letters;
  const word = mostLike(lower, ['read', 'write', '*']);
  if (word !== undefined && hasQuery) return { read: 'rs', write: 'cud', '*': 'cruds' }[word];
  return word ?? actions[lower] ?? (lower === 'all' || lower === 'readwrite' ? '*' : undefined);
}
