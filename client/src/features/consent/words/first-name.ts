import { isolateName } from '../../../shared/i18n/isolate-name.js';

/** The first word of a name, for sentences about a patient for whom the user acts. */
export function firstName(name: string): string {
  const [first = name] = name.split(/[ ,]/).filter(Boolean);
  return isolateName(first);
}
