import { clientRuleTexts } from './client-rules.en.js';
import { downloadTexts } from './downloads.en.js';
import { importTexts } from './imports.en.js';
import { mailTexts } from './mails.en.js';
import { pageTexts } from './pages.en.js';
import { readinessTexts } from './readiness.en.js';
import { refusalTexts } from './refusals.en.js';
import { relationshipTexts } from './relationships.en.js';
import { ruleTexts } from './rules.en.js';

/** Every message in English, by its code. Another language is another text for the same code. */
export const english = {
  ...ruleTexts,
  ...clientRuleTexts,
  ...refusalTexts,
  ...relationshipTexts,
  ...pageTexts,
  ...mailTexts,
  ...downloadTexts,
  ...importTexts,
  ...readinessTexts,
} as const;

/** The code of a text: each form of a plural is a text of its own (`too-long_other`). */
export function codeOf(key: string): string {
  return key.replace(/_(?:zero|one|two|few|many|other)$/, '');
}
