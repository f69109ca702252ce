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

/** The texts of a language with those that only have the key of an earlier release under the one of today, too. */
export function withRenamedTexts(texts: object): object {
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
