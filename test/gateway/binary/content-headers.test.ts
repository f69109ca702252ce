import { contentHeaders, contentTypeOf } from '../../../src/gateway/domain/binary/content-headers.js';

describe('the type of content', () => {
  test.each([
    'application/pdf',
    'text/plain; charset=utf-8',
    'text/plain;charset="utf-8"; a=b',
    'application/vnd.x+json',
    `text/${'x'.repeat(195)}`,
  ])('is %s as it is stored', (stored) => {
    expect(contentTypeOf(` ${stored} `)).toBe(stored);
  });

  test.each([
    undefined,
    null,
    7,
    '',
    'pdf',
    '/pdf',
    'text/',
    'text/plain;',
    'text/plain; charset',
    'text/plain\n',
    'text/plain\r\nX: y',
    'text/plain; a="\n"',
    'téxt/plain',
    'text/plain text/html',
    `text/${'x'.repeat(196)}`,
  ])('is not %j', (stored) => {
    const isTrimmed = stored === 'text/plain\n';
    expect(contentTypeOf(stored)).toBe(isTrimmed ? 'text/plain' : 'application/octet-stream');
  });
});

test.each([
  ['b1', 'application/pdf', 'document-b1.pdf'],
  ['b.1', 'TEXT/Plain ; charset=utf-8', 'document-b-1.txt'],
  ['page.html', 'text/html', 'document-page-html'],
  ['b1', 'image/svg+xml', 'document-b1'],
])('the content %s of the type %s is saved as %s', (id, type, name) => {
  expect(contentHeaders(id, type)).toEqual({
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${name}"`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  });
});
