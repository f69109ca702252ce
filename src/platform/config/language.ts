import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { withRenamedTexts } from './renamed-texts.js';

export const language = z.strictObject({
  tag: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag such as de or pt-BR')
    .refine((tag) => tag.toLowerCase() !== 'en', 'is there already'),
  file: z.string().min(1),
  direction: z.enum(['ltr', 'rtl']).default('ltr'),
});

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
