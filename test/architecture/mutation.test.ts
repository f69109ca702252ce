import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { equivalentMutants } from '../../scripts/mutation/equivalent.mjs';
import { mutantsOf } from '../../scripts/mutation/mutants.mjs';

const changes = (source: string) => mutantsOf(source).map(({ before, after }) => `${before} → ${after}`);

describe('the mutations that unit tests have to detect', () => {
  it.each([
    ['an operator', 'x = a && b;', '&& → ||'],
    ['both neighbours of a comparison', 'x = a < b;', '< → <=', '< → >'],
    ['a condition', 'if (a) b();', 'a → true', 'a → false'],
    ['what is returned', 'function f() { return a; }', 'a → undefined'],
    ['what an arrow function returns', 'const f = () => a;', 'a → undefined'],
    ['a text', "x = 'a';", "'a' → ''"],
    ['an empty text', "x = '';", "'' → 'mutated'"],
    ['a number', 'x = 7;', '7 → 8'],
    ['a method', 'x = list.some(f);', 'some → every'],
    ['a call that is left out', 'x = text.trim();', 'text.trim() → text'],
    ['a refusal that is left out', 'throw problem;', 'throw problem; → ;'],
    ['the anchors and bounds of an expression', 'x = /^a{1,2}$/;', '/^a{1,2}$/ → /a{1,2}$/'],
  ])('include %s', (_, source, ...expected) => {
    expect(changes(source)).toEqual(expect.arrayContaining(expected));
  });

  it('leave types, imports, names and comments unchanged', () => {
    const source = `
      import { a } from './a.js';
      // x = 1
      interface One { kind: 'one'; size: 1 }
      type Two = 'two' | true;
      export { b } from './b.js';
    `;
    expect(changes(source)).toEqual([]);
    expect(changes("const x = { 'name': a };")).toEqual([]);
  });

  it('have their position', () => {
    expect(mutantsOf('\nx = 7;').map(({ line, start, end }) => [line, start, end])).toContainEqual([2, 5, 6]);
  });

  it('have no exception for a change that cannot be made', () => {
    const read = (file: string) => {
      const source = readFileSync(file, 'utf8');
      return { lines: source.split('\n'), mutants: mutantsOf(source) };
    };
    const files = new Map([...new Set(equivalentMutants.map(({ file }) => file))].map((file) => [file, read(file)]));
    const left = equivalentMutants.filter(({ file, text, before, after }) => {
      const { lines = [], mutants = [] } = files.get(file) ?? {};
      return !mutants.some(
        (mutant) => lines[mutant.line - 1]?.trim() === text && mutant.before === before && mutant.after === after,
      );
    });
    expect(left).toEqual([]);
  });

  it('are detected in the tags module and in a rule of the contract by `npm run test:mutation`', async () => {
    // A test of this rule loads the whole contract while it runs.
    const paths = ['src/tags', 'src/contract/rules/lists.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/mutation.mjs', ...paths], {
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect(stdout).toMatch(/^ *100\.0 % +(\d+) of +\1 {2}src\/tags\/domain$/m);
    expect(stdout).toMatch(/^ *100\.0 % +(\d+) of +\1 {2}src\/contract\/rules$/m);
  });
});
