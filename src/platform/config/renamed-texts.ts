type Texts = Readonly<Record<string, unknown>>;

/** Texts of earlier releases under another key: the files of operators have them until they are translated again. */
const renamed: readonly [before: string, now: string][] = [
  ['messages.mail-recovery-codes-left-none', 'messages.mail-recovery-codes-left_zero'],
  ['messages.mail-recovery-codes-left-one', 'messages.mail-recovery-codes-left_one'],
  ['secretRotation.goOn', 'attention.rotationLink'],
];

/** The texts of a language with those that only have the key of an earlier release under the one of today, too. */
export function withRenamedTexts(texts: object): object {
  return renamed.reduce<object>((all, [before, now]) => {
    const text = textAt(all, before.split('.'));
    return typeof text === 'string' && textAt(all, now.split('.')) === undefined ? put(all, now.split('.'), text) : all;
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
