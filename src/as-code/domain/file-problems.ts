import { counted } from '../../contract/messages/counted.js';

/** A position in the file, from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Keys and indexes from the top of the file. */
export type Path = readonly (string | number)[];

export interface FileProblem {
  position: Position;
  path: Path;
  text: string;
}

const mostShown = 100;
/** Characters of a key or text that is repeated from the file. */
const longestShown = 300;

/**
 * A file that cannot be applied; nothing was changed. Its message has a line for each problem, in the order of the
 * file.
 */
export class FileProblems extends Error {
  constructor(file: string, problems: readonly FileProblem[]) {
    const sorted = [...problems].sort(
      (one, other) => one.position.line - other.position.line || one.position.column - other.position.column,
    );
    const lines = sorted.slice(0, mostShown).map(({ position: { line, column }, path, text }) => {
      const key = shortened(path.join('.'));
      return `  ${file}:${line}:${column}  ${key === '' ? '' : `${key}: `}${shortened(text)}`;
    });
    const more = sorted.length > mostShown ? [`  … and ${(sorted.length - mostShown).toLocaleString('en')} more`] : [];
    super([`${file} has ${counted(sorted.length, 'problem')}. Nothing was changed.`, ...lines, ...more].join('\n'));
    this.name = 'FileProblems';
  }
}

function shortened(text: string): string {
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
