import { finished } from 'node:stream/promises';
import { type AnswerShape, AttributedAnswer } from '../../../src/gateway/domain/answers/attributed-answer.js';
import { Attribution } from '../../../src/gateway/domain/answers/attribution.js';

describe('the parts of an answer', () => {
  /**
   * Writes the parts one by one. Returns what has left after each, with the number of records and the patients by then.
   */
  async function written(shape: AnswerShape, ...parts: string[]) {
    const attribution = new Attribution([]);
    const patients: Record<string, number> = {};
    let records = 0;
    const answer = new AttributedAnswer(attribution, shape, async () => {
      records += 1;
      for (const { patients: ids, seen } of attribution.takeEvents())
        for (const [index, id] of ids.entries())
          patients[id] = (patients[id] ?? 0) + Object.values(seen[index] ?? {}).reduce((sum, count) => sum + count, 0);
    });
    // `finished` and the writing of a part tell it.
    answer.on('error', () => undefined);
    const left: string[] = [];
    let text = '';
    answer.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    const steps: number[] = [];
    for (const part of parts) {
      const before = text.length;
      await new Promise<void>((resolve, reject) =>
        answer.write(part, 'latin1', (error) => (error ? reject(error) : resolve())),
      );
      await new Promise(setImmediate);
      left.push(text.slice(before));
      steps.push(records);
    }
    const before = text.length;
    answer.end();
    await finished(answer);
    await new Promise(setImmediate);
    left.push(text.slice(before));
    return { left, steps: [...steps, records], patients };
  }
  const [first, second] = ['p1', 'p2'].map((id) =>
    JSON.stringify({ resourceType: 'Observation', subject: { reference: `Patient/${id}` } }),
  ) as [string, string];
  const head = '{"resourceType":"Bundle","entry":[{"resource":';

  test('leave when the resources in them have ended and are recorded', async () => {
    const { left, steps, patients } = await written('entries', head, first, `},{"resource":${second}`, '}]', '}');
    expect(left).toEqual(['', '', `${head}${first}},`, `{"resource":${second}}]`, '}', '']);
    expect([steps, patients]).toEqual([[0, 0, 1, 2, 2, 2], { p1: 1, p2: 1 }]);
  });

  test('of lines leave with the end of each line', async () => {
    const { left, steps, patients } = await written('lines', first, '\n', `${second}\n${second}`, '\n', second, '\n\n');
    expect(left).toEqual(['', `${first}\n`, `${second}\n`, `${second}\n`, '', `${second}\n\n`, '']);
    expect([steps, patients]).toEqual([[0, 1, 2, 2, 2, 2, 3], { p1: 1, p2: 3 }]);
  });

  test('of a resource leave with its end, those after it at once', async () => {
    const { left, steps } = await written('resource', ' ', first.slice(0, 9), first.slice(9), ' ', '\n');
    expect(left).toEqual(['', '', ` ${first}`, ' ', '\n', '']);
    expect(steps).toEqual([0, 0, 1, 1, 1, 1]);
  });

  test('are recorded once, also where there is no resource', async () => {
    expect(await written('entries')).toEqual({ left: [''], steps: [1], patients: {} });
    expect(await written('entries', '{"resourceType":"Bundle"}')).toMatchObject({ steps: [0, 1] });
    expect(await written('lines', '\n')).toMatchObject({ left: ['\n', ''], steps: [1, 1], patients: {} });
  });

  test.each<[string, AnswerShape, string[], left: string[]]>([
    [
      'a resource after a Bundle',
      'entries',
      [`${head}${first}}]}`, first.slice(0, 30), first.slice(30)],
      ['+', '', '+'],
    ],
    [
      'a resource after a Bundle, with its type after another member',
      'entries',
      [`${head}${first}}]}`, '{"meta":{}', ',"resourceType":"Goal"}'],
      ['+', '', '+'],
    ],
    ['a Bundle after a resource', 'entries', [first, head, '{', '}}]}'], ['+', '+', '', '+']],
    ['a Bundle after a Bundle', 'entries', [`${head}{}}]}`, head, '{', '}}]}'], ['+', '+', '', '+']],
    ['a Bundle in one resource', 'resource', [head, `${first}}`, ']}'], ['', '', '+']],
    [
      'a Bundle whose entries come first',
      'entries',
      ['{"entry":[],"resourceType":"Bundle"', ',"x":[]', '}'],
      ['', '', '+'],
    ],
    [
      'a Bundle with a name in another spelling',
      'entries',
      ['{"\\u0065ntry":[],"resourceType":"Bundle"', ',"x":[]', '}'],
      ['', '', '+'],
    ],
    [
      'a Bundle with something of the name of its entries inside of another member',
      'entries',
      ['{"meta":{"entry":"entry"},"resourceType":"Bundle"', ',"entry":[{', '}]', '}'],
      ['', '', '+', '+'],
    ],
    ['another resource with entries', 'entries', ['{"resourceType":"List","entry":[{}', ']', '}'], ['', '', '+']],
    [
      'another resource, then named a Bundle',
      'entries',
      ['{"resourceType":"List","resourceType":"Bundle"', '}'],
      ['', '+'],
    ],
    ['a Bundle by another name', 'entries', ['{"type":"Bundle"', ',"a":"Bundle"}'], ['', '+']],
    ['a Bundle deeper in a resource', 'entries', ['{"a":{"resourceType":"Bundle"}', '}'], ['', '+']],
    ['other members of a Bundle', 'entries', [`${head}{}}]`, ',"x":[{"a":', '{"b":[{', '}]}}]}'], ['+', '+', '+', '+']],
    [
      'another type of a Bundle',
      'entries',
      [`${head}{}}]`, ',"resourceType":"List"', ',"entry":[{}', ']}'],
      ['+', '+', '+', '+'],
    ],
  ])('are told apart: %s', async (_, shape, parts, expected) => {
    const { left } = await written(shape, ...parts);
    expect(left.join('')).toBe(parts.join(''));
    expect(left.slice(0, -1).map((text) => (text === '' ? '' : '+'))).toEqual(expected);
  });

  test('of up to 64 KiB are held until the first resource has ended', async () => {
    const spaces = ' '.repeat(64 * 1024 - 1);
    const { left, steps } = await written('entries', spaces, ' ', ' ', ' ');
    expect(left.map(({ length }) => length)).toEqual([0, 0, 65_537, 1, 0]);
    expect(steps).toEqual([0, 0, 1, 1, 1]);
  });

  test('of a resource of more than 10 MiB leave while it arrives, but for its last 256 bytes', async () => {
    const note = (length: number) => `${first.slice(0, -1)},"note":"Patient/none `.padEnd(length, 'x');
    const most = 10 * 1024 * 1024;
    const whole = await written('resource', note(most), '"}');
    expect([whole.left.map(({ length }) => length), whole.patients]).toEqual([[0, most + 2, 0], { p1: 1 }]);
    const long = await written('resource', note(most + 1), ' Patient/p3 "', '}');
    expect(long.left.map(({ length }) => length)).toEqual([most + 1 - 256, 13, 257, 0]);
    expect([long.patients, long.steps]).toEqual([{ p1: 1, none: 1, p3: 1 }, [1, 2, 2, 2]]);
    const next = await written('lines', note(most + 1), `"}\n${second.replace('{', '{"note":"Patient/other",')}\n`);
    expect(next.patients).toEqual({ p1: 1, none: 1, p2: 1 });
  });

  test('are held until their end, however many MiB the resources before had', async () => {
    const line = `${first.slice(0, -1)},"note":"${'x'.repeat(4 * 1024 * 1024)}"}\n`;
    const { left, patients } = await written('lines', line, line, line.slice(0, -9), line.slice(-9));
    const whole = line.length;
    expect([left.map(({ length }) => length), patients]).toEqual([[whole, whole, 0, whole, 0], { p1: 3 }]);
  });

  test('are not recorded again when the first record has failed, nor at the end', async () => {
    const attribution = new Attribution([]);
    let records = 0;
    const answer = new AttributedAnswer(attribution, 'resource', () => {
      records += 1;
      return Promise.reject(new Error('the database is gone'));
    });
    answer.on('error', () => undefined);
    answer.end(first);
    await expect(answer.begun).rejects.toThrow('the database is gone');
    await new Promise(setImmediate);
    expect([records, attribution.isEmpty]).toEqual([1, false]);
  });

  test('have not begun when the answer is given up before', async () => {
    const answer = new AttributedAnswer(new Attribution([]), 'resource', async () => undefined);
    answer.write('{');
    answer.destroy();
    await expect(answer.begun).rejects.toThrow('the answer broke off');
  });
});
