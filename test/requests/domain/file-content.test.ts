import { typeOfContent } from '../../../src/requests/domain/file-content.js';

describe('The type of a file is that of its content', () => {
  it.each([
    ['a PDF', Buffer.from('%PDF-1.7\n'), 'application/pdf'],
    ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg'],
    ['a PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]), 'image/png'],
    ['a page', Buffer.from('<html><script>alert(1)</script>'), undefined],
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), undefined],
    ['a page with a PDF behind it', Buffer.from('<html>%PDF-1.7'), undefined],
    ['a GIF', Buffer.from('GIF89a'), undefined],
    ['an archive', Buffer.from([0x50, 0x4b, 3, 4]), undefined],
    ['the beginning of a PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47]), undefined],
    ['the beginning of a JPEG', Buffer.from([0xff, 0xd8]), undefined],
    ['nothing', Buffer.alloc(0), undefined],
  ])('%s', (_, content, type) => {
    expect(typeOfContent(content)).toBe(type);
  });
});
