import { type FileProblem, FileProblems } from '../../../src/as-code/domain/file-problems.js';

const problem = (line: number, column: number, ...path: FileProblem['path']): FileProblem => ({
  position: { line, column },
  path,
  text: `wrong at ${line}:${column}`,
});
const messageOf = (...problems: FileProblem[]) => new FileProblems('portal.yaml', problems).message.split('\n');

describe('a file with problems', () => {
  it('is an error of its own kind', () => {
    expect(new FileProblems('portal.yaml', [problem(1, 1)]).name).toBe('FileProblems');
  });

  it('names a single problem with its position and its place', () => {
    expect(messageOf(problem(3, 5, 'clients', 0, 'clientName'))).toEqual([
      'portal.yaml has 1 problem. Nothing was changed.',
      '  portal.yaml:3:5  clients.0.clientName: wrong at 3:5',
    ]);
  });

  it('names no place for a problem of the whole file', () => {
    expect(messageOf(problem(1, 1))[1]).toBe('  portal.yaml:1:1  wrong at 1:1');
  });

  it('lists the problems in the order of the file, and leaves the given list as it is', () => {
    const problems = [problem(2, 1), problem(1, 9), problem(2, 10), problem(1, 2)];
    expect(messageOf(...problems)).toEqual([
      'portal.yaml has 4 problems. Nothing was changed.',
      ...['1:2', '1:9', '2:1', '2:10'].map((at) => `  portal.yaml:${at}  wrong at ${at}`),
    ]);
    new FileProblems('portal.yaml', problems);
    expect(problems[0]).toEqual(problem(2, 1));
  });

  it('lists a hundred, and counts the others', () => {
    const many = Array.from({ length: 100 }, (_, index) => problem(index + 1, 1));
    expect(messageOf(...many)).toHaveLength(101);
    expect(messageOf(...many).at(-1)).toBe('  portal.yaml:100:1  wrong at 100:1');
    expect(messageOf(...many, problem(101, 1), problem(102, 1)).slice(-2)).toEqual([
      '  portal.yaml:100:1  wrong at 100:1',
      '  … and 2 more',
    ]);
  });

  it('repeats only the beginning of a long key and of a long text', () => {
    const [, line] = messageOf({ position: { line: 1, column: 1 }, path: ['k'.repeat(301)], text: 't'.repeat(301) });
    expect(line).toBe(`  portal.yaml:1:1  ${'k'.repeat(300)}…: ${'t'.repeat(300)}…`);
    const whole = { position: { line: 1, column: 1 }, path: ['k'.repeat(300)], text: 't'.repeat(300) };
    expect(messageOf(whole)[1]).toBe(`  portal.yaml:1:1  ${'k'.repeat(300)}: ${'t'.repeat(300)}`);
  });
});
