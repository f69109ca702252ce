export type DurationUnit = 'day' | 'hour' | 'minute' | 'second';

/** '90 days', in the words of the given language; a whole number. */
export function amountOf(number: number, unit: DurationUnit, language = 'en'): string {
  // The first number format of a browser keeps a phone busy for 70 ms, in the middle of the first view of the consent
  // page.
  if (isEnglish(language)) return `${number} ${unit}${number === 1 ? '' : 's'}`;
  const format = { style: 'unit', unit, unitDisplay: 'long', useGrouping: false } as const;
  return new Intl.NumberFormat(language, format).format(number);
}

/** '1 day 2 hours', for display; '0 seconds' is the shortest. */
export function describeDuration(seconds: number, language = 'en'): string {
  const units: [DurationUnit, number][] = [
    ['day', Math.floor(seconds / 86_400)],
    ['hour', Math.floor(seconds / 3600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', seconds % 60],
  ];
  const parts = units.filter(([, number]) => number > 0);
  const amounts = (parts.length > 0 ? parts : units.slice(-1)).map(([unit, number]) =>
    amountOf(number, unit, language),
  );
  return isEnglish(language) ? amounts.join(' ') : new Intl.ListFormat(language, { type: 'unit' }).format(amounts);
}

function isEnglish(language: string): boolean {
  return /^en(-US)?$/.test(language);
}
