import { longestImport } from '../../../../../src/contract/rules/users/user-import.js';

/** Bytes of UTF-8; a character has at most four, and most have one. */
export const mostBytes = 2 * longestImport;

export interface ReadFile {
  csv: string;
  /** Not UTF-8, and so most likely of an older spreadsheet (WHATWG Encoding: windows-1252). */
  isWindows: boolean;
}

/** The text of a file; a byte order mark is respected (WHATWG Encoding). */
export async function readFile(file: Blob): Promise<ReadFile> {
  const bytes = await file.arrayBuffer();
  const [first, second] = new Uint8Array(bytes);
  const isWide = first === 0xff && second === 0xfe;
  try {
    return { csv: new TextDecoder(isWide ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes), isWindows: false };
  } catch {
    return { csv: new TextDecoder('windows-1252').decode(bytes), isWindows: true };
  }
}

/** Hands a text to the browser as a file. */
export function saveCsv(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
