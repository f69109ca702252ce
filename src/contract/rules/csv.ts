/** The names of the columns, after the mark that makes spreadsheets read a file as UTF-8. */
export function csvHead(columns: readonly string[]): string {
  return `\uFEFF${csvLine(columns)}`;
}

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/**
 * A cell of a CSV file (RFC 4180). A text that a spreadsheet would compute begins with an apostrophe instead, also
 * where spaces or an invisible sign come first. Each record is one line.
 */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/[\r\n]+/g, ' ');
  const safe = /^[\s\p{Cc}\p{Cf}]*[=+\-@|%＝＋－＠]/u.test(text) || /^[\t\r]/.test(text) ? `'${text}` : text;
  return /[",'\s;]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe;
}
