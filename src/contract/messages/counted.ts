/** '1 row', '2,000 rows': a number with its noun, in the English of commands and logs. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;
}
