import { addedLines, isTooLong, phrasesIn } from '../../scripts/checks/lines.mjs';

describe('The check of lines of Markdown and comments', () => {
  it.each([
    ['docs/planted.md', 'It stands beside the list.'],
    ['docs/planted.md', 'This is no secret.'],
    ['docs/planted.md', 'The request goes on.'],
    ['docs/planted.md', 'It is faster than those of before.'],
    ['docs/planted.md', 'Then the person signs in.'],
    ['src/planted.ts', '/** A token beside the code. */'],
    ['src/planted.ts', ' * A token that is no JWT.'],
    ['src/planted.ts', 'const answer = 1; // goes on here'],
  ])('finds the phrase in %s: %s', (file, line) => {
    expect(phrasesIn(file, line)).toHaveLength(1);
  });

  it.each([
    ['docs/planted.md', 'It is no longer used, and `beside` is a word.'],
    ['src/planted.ts', "note('the person goes on beside it');"],
  ])('accepts the words in %s: %s', (file, line) => {
    expect(phrasesIn(file, line)).toEqual([]);
  });

  it.each([
    ['docs/planted.md', 'x'.repeat(121)],
    ['src/planted.ts', `// ${'x'.repeat(118)}`],
    ['src/planted.ts', ` * ${'x'.repeat(118)}`],
  ])('finds the long line in %s', (file, line) => {
    expect(isTooLong(file, line)).toBe(true);
  });

  it.each([
    ['docs/planted.md', 'x'.repeat(120)],
    ['docs/planted.md', `| ${'x'.repeat(200)} |`],
    ['docs/planted.md', `[a page](${'x'.repeat(200)}.md)`],
    ['docs/planted.md', `\`npx jest ${'x'.repeat(200)}\``],
    ['src/planted.ts', `// biome-ignore lint: ${'x'.repeat(200)}`],
    ['src/planted.ts', `const text = '${'x'.repeat(200)}';`],
  ])('accepts the length in %s: %s', (file, line) => {
    expect(isTooLong(file, line)).toBe(false);
  });

  it('reads the added lines of a diff, each with its file', () => {
    const diff =
      '--- a/docs/one.md\n+++ b/docs/one.md\n@@ -1 +1 @@\n-old\n+new\n--- a/two.ts\n+++ b/two.ts\n@@ -0,0 +1 @@\n+// two';
    expect(addedLines(diff)).toEqual([
      { file: 'docs/one.md', line: 'new' },
      { file: 'two.ts', line: '// two' },
    ]);
  });
});
