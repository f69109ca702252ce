import { readFileSync } from 'node:fs';
import { z } from 'zod';

export const language = z.strictObject({
  tag: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag such as de or pt-BR')
    .refine((tag) => tag.toLowerCase() !== 'en', 'is there already'),
  file: z.string().min(1),
  direction: z.enum(['ltr', 'rtl']).default('ltr'),
});

type Texts = Readonly<Record<string, unknown>>;

/**
 * Texts of earlier releases under another key: the files of operators have them until they are translated again.
 * `values`: the names in the text that changed.
 */
const renamed: readonly [before: string, now: string, values?: Readonly<Record<string, string>>][] = [
  ['messages.mail-recovery-codes-left-none', 'messages.mail-recovery-codes-left_zero'],
  ['messages.mail-recovery-codes-left-one', 'messages.mail-recovery-codes-left_one'],
  ['secretRotation.goOn', 'attention.rotationLink'],
  ['accessLog.countApps_other', 'accessLog.countApps'],
  ['accessLog.countPeople_other', 'accessLog.countPeople'],
  ['accessLog.countVisits_other', 'accessLog.countVisits'],
  ['grants.found', 'grants.foundOf', { count: 'shown', total: 'count' }],
  ['passkeys.or', 'common.or'],
  ['passkeys.count', 'passkeys.countOf', { count: 'used', limit: 'count' }],
  ['passkeys.full', 'passkeys.fullOf', { limit: 'count' }],
];

const texts: z.ZodType<object> = z.lazy(() => z.record(z.string(), z.union([z.string(), texts])));

/**
 * Reads the texts of a language, those under keys of earlier releases included. Throws an error that says what is wrong
 * with the file.
 */
export function readTexts(file: string): object {
  const parsed = texts.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new Error('contains values that are not texts');
  return withRenamedTexts(parsed.data);
}

export function languageProblems(languages: z.infer<typeof language>[]): string[] {
  return languages.flatMap(({ tag, file }, index) => {
    const at = `languages.${index}`;
    const twice = languages.findIndex((other) => other.tag.toLowerCase() === tag.toLowerCase()) < index;
    return [...(twice ? [`${at}.tag: another language has the same one`] : []), ...fileProblems(file, at)];
  });
}

function fileProblems(file: string, at: string): string[] {
  try {
    readTexts(file);
    return [];
  } catch (error) {
    return [`${at}.file: cannot be used, ${(error as Error).message}`];
  }
}

/** The texts of a language with those that only have the key of an earlier release under the one of today, too. */
function withRenamedTexts(texts: object): object {
  return renamed.reduce<object>((all, [before, now, values = {}]) => {
    const text = textAt(all, before.split('.'));
    if (typeof text !== 'string' || textAt(all, now.split('.')) !== undefined) return all;
    const written = text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => `{{${values[name] ?? name}}}`);
    return put(all, now.split('.'), written);
  }, texts);
}

function textAt(texts: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return texts;
  return isTexts(texts) && Object.hasOwn(texts, name) ? textAt(texts[name], rest) : undefined;
}

function put(texts: object, [name = '', ...rest]: readonly string[], text: string): object {
  if (rest.length === 0) return { ...texts, [name]: text };
  const below = (texts as Texts)[name];
  return { ...texts, [name]: put(isTexts(below) ? below : {}, rest, text) };
}

function isTexts(value: unknown): value is Texts {
  return typeof value === 'object' && value !== null;
}
