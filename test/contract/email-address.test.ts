import { addressKey, emailProblem } from '../../src/contract/rules/users/email.js';

const codeOf = (text: string) => emailProblem(text)?.code;

describe('An e-mail address', () => {
  it.each([
    ...['maria@example.org', ' maria@example.org ', "o'neil+lab@example.org", 'josé@example.org', 'a.b@example.org'],
    ...['t@bücher.example', 't@xn--bcher-kva.example', 'müller@faß.example', 'a@1.2', 'a@10.0.0.1'],
  ])('has the form %j', (text) => {
    expect(codeOf(text)).toBeUndefined();
  });

  it.each([
    ...['maria', 'maria@', '@example.org', 'maria@localhost', 'maria@@example.org', 'a@b@example.org'],
    ...[
      'maria@example..org',
      'maria@example.org.',
      'maria@.org',
      'a b@example.org',
      'a,b@example.org',
      'a;b@example.org',
    ],
    ...['mailto:x@lab.test', 'x@lab.test:25', 'a..b@lab.test', '.a@lab.test', 'a.@lab.test', 'a(b)@lab.test'],
    ...['a[b]@lab.test', String.raw`a\b@lab.test`, 'x@lab.test/', 'x@lab.test?subject=1', 'x@xn--zzzzzz99999.example'],
    ...['x@a_b%.example', 'ｍ@example.org'],
  ])('does not have the form %j', (text) => {
    expect(codeOf(text)).toBe('email-invalid');
  });

  it.each(['', '  '])('is required: %j', (text) => {
    expect(codeOf(text)).toBe('email-required');
  });

  it('is the same in any case, and with its domain in letters or in ASCII (UTS 46)', () => {
    const same = ['t@bücher.example', 'T@BÜCHER.example', 't@xn--bcher-kva.example', ' t@XN--BCHER-KVA.Example '];
    expect(new Set(same.map(addressKey))).toEqual(new Set(['t@xn--bcher-kva.example']));
  });

  it.each([
    ['t@bücher.example', 't@bucher.example'],
    ['jose@example.org', 'josé@example.org'],
    ['a@1.2', 'a@1.0.0.2'],
    ['i@example.org', 'İ@example.org'],
  ])('%s is not %s', (one, other) => {
    expect(addressKey(one)).not.toBe(addressKey(other));
  });

  it('without an @ or of a wrong domain is compared as it is, in small letters', () => {
    expect(['Maria', 'x@xn--zzzzzz99999.Example', ''].map(addressKey)).toEqual([
      'maria',
      'x@xn--zzzzzz99999.example',
      '',
    ]);
  });
});
